import { connect, type Socket } from 'node:net';

/** Requests a second that a server answers to so many connections, each sending its next request after an answer. */
export async function requestsPerSecond(
  port: number,
  request: Buffer,
  connections: number,
  milliseconds: number,
): Promise<number> {
  let answered = 0;
  let stopped = false;
  const sockets: Socket[] = [];
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      sockets.push(socket);
      socket.setNoDelay(true);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.latin1Slice();
        const head = text.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
        if (!text.startsWith('HTTP/1.1 200') || Number.isNaN(length))
          return reject(new Error(text.slice(0, 500)));
        if (text.length < head + 4 + length) return;
        text = '';
        answered++;
        if (stopped) socket.end();
        else socket.write(request);
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
  const all = Array.from({ length: connections }, run);
  await wait(milliseconds / 2);
  answered = 0;
  const start = performance.now();
  await wait(milliseconds);
  const rate = (answered / (performance.now() - start)) * 1000;
  stopped = true;
  await Promise.all(all);
  return rate;
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** A POST of a text, as bytes. */
export function post(path: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
