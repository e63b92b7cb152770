import { mkdtempSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { makeCertificate } from '../../src/server/certificate.ts';

/** Whether the tests of this file go over TLS: those below `test/https/` do, and are the same tests. */
export const secure = process.env['SLUICE_TEST_HTTPS'] === '1';

const pair = secure ? await makeCertificate(['--out-dir', mkdtempSync(join(tmpdir(), 'sluice-tls-'))]) : null;
const ca = pair === null ? undefined : readFileSync(pair.cert);

/** What a server has to be told besides, so that the tests can reach it. */
export const serverFlags: readonly string[] =
  pair === null ? [] : ['--https-port', '0', '--tls-cert', pair.cert, '--tls-key', pair.key];

/** The door that the tests go through. */
export const door = secure ? 'https' : 'http';

/** A request to a server of the tests; the certificate is checked. */
export function request(
  options: http.RequestOptions,
  answered: (response: http.IncomingMessage) => void,
): http.ClientRequest {
  const whole = { host: '127.0.0.1', ...options };
  return secure ? https.request({ ...whole, ca }, answered) : http.request(whole, answered);
}

export function keepAliveAgent(maxSockets: number): http.Agent {
  return secure
    ? new https.Agent({ keepAlive: true, maxSockets })
    : new http.Agent({ keepAlive: true, maxSockets });
}

/** A connection over which a test writes its own bytes. */
export function connect(port: number, connected?: () => void): net.Socket {
  if (secure) return tls.connect({ host: '127.0.0.1', port, ca }, connected);
  return net.connect(port, '127.0.0.1', connected);
}
