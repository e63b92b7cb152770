const multiplier = 0x5bd1e995;

/** Murmur2 as Kafka's clients compute it over a key, so that equal keys meet in one partition whoever writes them. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  let hash = 0x9747b28c ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, multiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  const left = length - at;
  if (left >= 3) hash ^= bytes[at + 2]! << 16;
  if (left >= 2) hash ^= bytes[at + 1]! << 8;
  if (left >= 1) hash = Math.imul(hash ^ bytes[at]!, multiplier);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, multiplier);
  return hash ^ (hash >>> 15);
}

/** The partition of a key. */
export function partitionOfKey(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}
