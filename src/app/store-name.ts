import { sha256 } from '../lib/text/sha256.ts'
import type { Journal } from '../store/journal.ts'

/** A name that no other store has, made of how its history began; null as long as it has none. */
export async function storeName(journal: Journal): Promise<string | null> {
  const [first] = await journal.list({ limit: 1 })
  return first ? sha256(JSON.stringify([first.at, first.type, first.data])).slice(0, 12) : null
}
