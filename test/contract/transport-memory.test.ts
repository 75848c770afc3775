import { seededRandom } from "../../cmd/crowd/random.ts";
import type { NodeId } from "../../mesh/core/ids.ts";
import { MemoryNetwork } from "../../mesh/transport-memory.ts";
import { HELLO, type Started, Told, transportContract, type World } from "./transport.ts";

transportContract("in memory", (): World => {
  const network = new MemoryNetwork();
  const started: Started[] = [];
  const begin = (node: NodeId, hello: typeof HELLO): Started => {
    const told = new Told();
    const options = {
      node,
      hello: () => ({ ...hello, node }),
      clock: () => performance.now(),
      random: seededRandom(1),
    };
    const transport = network.start(options, told);
    const restart = async () => {
      await transport.stop();
      return begin(node, { ...hello, incarnation: hello.incarnation + 1 });
    };
    const one = { transport, told, restart };
    started.push(one);
    return one;
  };
  return {
    start: async (hello = {}) => begin(`node-${started.length}` as NodeId, { ...HELLO, ...hello }),
    close: async () => {
      for (const { transport } of started) await transport.stop();
    },
  };
});
