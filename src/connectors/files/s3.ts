import { SluiceError } from '../../base/index.ts';
import { expandBraces, hasWildcard, matchesPattern } from '../../files/index.ts';
import { type OutsideClient, parseUrl, shownUrl } from './http-client.ts';
import type { AccessContext, Location, ObjectWriter, Readable, WriteMode } from './location.ts';
import { S3Client, type S3Credentials } from './s3-client.ts';

/** Objects that one pattern may be compared with. */
const keysMax = 100_000;
/** Bytes of a part of an upload; smaller objects are sent at once. */
const partBytes = 8 * 1_048_576;
/** S3 takes 10,000 parts: later ones are larger. */
const partsOfOneSize = 1_000;

/** Writes one object, in parts once it is large. */
class S3Writer implements ObjectWriter {
  readonly #client: S3Client;
  readonly #url: URL;
  readonly #context: AccessContext;
  readonly #existed: boolean;
  #pending: Uint8Array[] = [];
  #held = 0;
  #upload: string | null = null;
  readonly #tags: string[] = [];
  #committed = false;

  constructor(client: S3Client, url: URL, existed: boolean, context: AccessContext) {
    this.#client = client;
    this.#url = url;
    this.#existed = existed;
    this.#context = context;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#held += bytes.length;
    const wanted = partBytes * (1 + Math.floor(this.#tags.length / partsOfOneSize));
    if (this.#held >= wanted) await this.#sendPart();
  }

  #taken(): Buffer {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#held = 0;
    return bytes;
  }

  async #sendPart(): Promise<void> {
    this.#upload ??= await this.#client.beginUpload(this.#url, this.#context);
    const number = this.#tags.length + 1;
    this.#tags.push(
      await this.#client.putPart(this.#url, this.#upload, number, this.#taken(), this.#context),
    );
  }

  async commit(): Promise<void> {
    if (this.#upload === null) {
      await this.#client.put(this.#url, this.#taken(), this.#context);
    } else {
      if (this.#held > 0) await this.#sendPart();
      await this.#client.endUpload(this.#url, this.#upload, this.#tags, this.#context);
    }
    this.#committed = true;
  }

  async abort(): Promise<void> {
    this.#taken();
    // The statement may have been told to stop; what it began is taken back all the same, in a time of its own.
    const { clock } = this.#context;
    const controller = new AbortController();
    const timer = clock.after(abortMilliseconds, () => controller.abort(new Error('it took too long')));
    const context = { clock, signal: controller.signal };
    try {
      if (this.#committed && !this.#existed) await this.#client.delete(this.#url, context);
      else if (!this.#committed && this.#upload !== null)
        await this.#client.abortUpload(this.#url, this.#upload, context);
    } finally {
      timer.cancel();
    }
  }
}

/** Milliseconds that taking back an upload may take. */
const abortMilliseconds = 10_000;

/** The bucket of a URL and the rest of its path, which names objects: `http://host/bucket/key` or `https://bucket.s3.region.amazonaws.com/key`. */
function splitUrl(text: string): { bucket: URL; key: string } {
  const url = parseUrl(text);
  const path = decodeURIComponent(url.pathname).slice(1);
  const isVirtual = /\.s3[.-][a-z0-9.-]*amazonaws\.com$/.test(url.hostname);
  const slash = path.indexOf('/');
  const key = isVirtual ? path : path.slice(slash + 1);
  if (key === '' || (!isVirtual && slash <= 0)) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `'${shownUrl(url)}' names no object: expected http://host/bucket/key or https://bucket.s3.region.amazonaws.com/key`,
    );
  }
  const bucket = new URL(isVirtual ? '/' : `/${path.slice(0, slash)}`, url);
  return { bucket, key };
}

function objectUrl(bucket: URL, key: string): URL {
  const path = key
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  return new URL(`${bucket.pathname.replace(/\/$/, '')}/${path}`, bucket);
}

/** Objects of a store that speaks the S3 protocol. */
export class S3Location implements Location {
  readonly type = 's3';
  readonly shown: string;
  readonly #path: string;
  readonly #client: S3Client;

  constructor(path: string, credentials: S3Credentials | null, client: OutsideClient) {
    this.#path = path;
    this.#client = new S3Client(client, credentials);
    // A '?' is part of a pattern here, not the beginning of a query.
    this.shown = path.replace(/^(https?:\/\/)[^/@]*@/, '$1');
    this.#split(expandBraces(path)[0]!);
  }

  #split(text: string): { bucket: URL; key: string } {
    return splitUrl(text.replaceAll('?', '%3F').replaceAll('#', '%23'));
  }

  async find(context: AccessContext): Promise<readonly Readable[]> {
    const found = new Map<string, Readable>();
    const add = (bucket: URL, key: string) => {
      const url = objectUrl(bucket, key);
      const read = () => this.#client.get(url, context);
      found.set(url.href, {
        name: key.slice(key.lastIndexOf('/') + 1),
        path: `${bucket.pathname.slice(1)}/${key}`,
        read,
      });
    };
    for (const one of expandBraces(this.#path)) {
      const { bucket, key } = this.#split(one);
      if (!hasWildcard(key)) {
        add(bucket, key);
        continue;
      }
      const prefix = key.slice(0, key.search(/[*?]/));
      for (const each of await this.#client.list(bucket, prefix, keysMax, context))
        if (matchesPattern(each, key)) add(bucket, each);
    }
    if (found.size === 0)
      throw new SluiceError('FILE_DOESNT_EXIST', `There is no object that matches '${this.shown}'`);
    return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
  }

  async create(partition: string | null, mode: WriteMode, context: AccessContext): Promise<ObjectWriter> {
    const path = partition === null ? this.#path : this.#path.replaceAll('{_partition_id}', partition);
    const { bucket, key } = this.#split(path);
    if (/[*?{}]/.test(key))
      throw new SluiceError('BAD_ARGUMENTS', `'${key}' is a pattern, and only one object can be written`);
    const url = objectUrl(bucket, key);
    const existed = await this.#client.exists(url, context);
    if (existed && !mode.truncate) {
      throw new SluiceError(
        'FILE_ALREADY_EXISTS',
        `The object ${shownUrl(url)} is there already: s3_truncate_on_insert=1 replaces it`,
      );
    }
    return new S3Writer(this.#client, url, existed, context);
  }
}
