import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../base/index.ts';

/** Milliseconds between two looks at how much memory is held. */
const lookMilliseconds = 1_000;
/** Bytes of buffers, more than after the last collection, that are worth one. */
const worthwhileBytes = 64 * 1024 * 1024;
/** Bytes by which buffers may change in a second that counts as quiet. */
const quietBytes = 1024 * 1024;

/** Bytes outside V8's own heap: blocks, bodies, chunks. */
function bufferBytes(): number {
  const { external, arrayBuffers } = process.memoryUsage();
  return external + arrayBuffers;
}

/** Collects garbage now; V8 has no other door to it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/**
 * Gives memory back when the server is quiet. V8 collects as it allocates: after the last big request nothing would, and
 * hundreds of megabytes of buffers that nobody wants any more would stay. Gives the function that ends it.
 */
export function giveBackIdleMemory(clock: Clock): () => void {
  const collect = collector();
  let kept = bufferBytes();
  let before = kept;
  const look = () => {
    const now = bufferBytes();
    const quiet = Math.abs(now - before) < quietBytes;
    before = now;
    if (now < kept) kept = now;
    if (quiet && now > kept + worthwhileBytes) {
      collect();
      kept = bufferBytes();
      before = kept;
    }
    timer = clock.after(lookMilliseconds, look);
  };
  let timer = clock.after(lookMilliseconds, look);
  return () => timer.cancel();
}
