import { createServer, request, type Server } from "node:http";
import type { Socket } from "node:net";

/**
 * The line between a browser and the cloud, as a proxy that can be cut: what a browser's own switch for "offline" does
 * to pages, this does to service workers as well.
 */
export class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor() {
    this.#server = createServer((asked, answer) => {
      if (this.#isCut) {
        asked.socket.destroy();
        return;
      }
      const { url = "", method, headers } = asked;
      const onward = request(url, { method, headers }, (told) => {
        answer.writeHead(told.statusCode ?? 502, told.rawHeaders);
        told.pipe(answer);
      });
      onward.on("error", () => asked.socket.destroy());
      asked.pipe(onward);
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((ready) => this.#server.listen(port, "127.0.0.1", ready));
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
