import { tcpWorld } from "./libp2p-world.ts";
import { transportContract } from "./transport.ts";

transportContract("over TCP", tcpWorld);
