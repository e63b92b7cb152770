import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

export const s3Key = 'S3RVER';
export const s3Secret = 'S3RVER';

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** What a request with this body should have been signed with (AWS Signature Version 4). */
function expectedSignature(
  request: http.IncomingMessage,
  scope: readonly string[],
  signedHeaders: string,
): string {
  const [path = '', query = ''] = request.url!.split('?');
  const sorted = query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => (part.includes('=') ? part : `${part}=`))
    .sort();
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [
    request.method,
    path,
    sorted.join('&'),
    headers.join(''),
    signedHeaders,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const [date, region, service, end] = scope as [string, string, string, string];
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope.join('/'), sha256(canonical)].join(
    '\n',
  );
  const key = [region, service, end].reduce(
    (inner, part) => hmac(inner, part),
    hmac(`AWS4${s3Secret}`, date),
  );
  return hmac(key, text).toString('hex');
}

function isSigned(request: http.IncomingMessage, body: Buffer): boolean {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)$/.exec(
      request.headers.authorization ?? '',
    );
  if (match === null || match[1] !== s3Key) return false;
  if (request.headers['x-amz-content-sha256'] !== sha256(body)) return false;
  return match[4] === expectedSignature(request, match[2]!.split('/'), match[3]!);
}

const refusal =
  '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>The signature is wrong</Message></Error>';

/** Stands before an S3 server that does not check signatures, and checks them; gives its own port. */
export async function signatureGuard(t: ExecutionContext, port: number): Promise<number> {
  const guard = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (!isSigned(request, body)) {
        response.writeHead(403, { 'content-type': 'application/xml' }).end(refusal);
        return;
      }
      const { method, url: path, headers } = request;
      const onward = http.request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => guard.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    guard.closeAllConnections();
    guard.close();
  });
  return (guard.address() as AddressInfo).port;
}
