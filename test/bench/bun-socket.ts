/**
 * The floor under every answer of ours: `bun bun-socket.ts PORT FILE` answers whatever comes with the bytes of one
 * file.
 *
 * It reads no request and decides nothing. What it takes per request is the runtime's sockets and the kernel's.
 */

const [port, file] = process.argv.slice(2);
const answer = await Bun.file(file ?? "").text();

Bun.listen({
  hostname: "127.0.0.1",
  port: Number(port),
  socket: {
    data(socket) {
      socket.write(answer);
    },
  },
});

export {};
