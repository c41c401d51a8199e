/** Of amounts that not everybody tells, such as a cost: what is known of both. Null only when nothing is. */
export function knownSum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other
}
