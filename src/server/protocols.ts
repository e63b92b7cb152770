import type { Server as HttpServer } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Clock } from '../base/index.ts';

/** Milliseconds that a connection has to send its first byte. */
const firstByteMilliseconds = 60_000;

const refusal =
  'Code: 1. DB::Exception: This port speaks HTTP only: the native protocol is not supported, use the HTTP interface\n';

/** Every method of HTTP begins with a capital letter; the native protocol with a small number, TLS with 22. */
function beginsHttp(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

/** A port that tells the protocol of a connection by its first byte. */
export interface ProtocolDoor {
  readonly server: NetServer;
  /** Cuts connections that have not said anything yet. */
  closeUndecided(): void;
}

/** Hands connections that speak HTTP to `http`, and refuses all others with a line of text. */
export function protocolDoor(http: HttpServer, clock: Clock): ProtocolDoor {
  const undecided = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    undecided.add(socket);
    const patience = clock.after(firstByteMilliseconds, () => socket.destroy());
    const ignore = () => {};
    socket.on('error', ignore);
    socket.once('close', () => {
      undecided.delete(socket);
      patience.cancel();
    });
    socket.once('data', (first: Buffer) => {
      patience.cancel();
      undecided.delete(socket);
      socket.pause();
      if (!beginsHttp(first[0]!)) {
        socket.end(refusal, () => socket.destroy());
        return;
      }
      socket.off('error', ignore);
      socket.unshift(first);
      http.emit('connection', socket);
      socket.resume();
    });
  });
  return {
    server,
    closeUndecided: () => {
      for (const socket of undecided) socket.destroy();
    },
  };
}
