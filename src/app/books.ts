import { join } from 'node:path'
import type { Books } from '../loop/record.ts'
import type { Store } from '../store/store.ts'
import type { Repository } from './repository.ts'
import { createReviewFiles } from './review-files.ts'

/** The journal and its parts, for writes outside a run. Without `observe`, the command shows no events. */
export function createBooks(
  { journal }: Pick<Store, 'journal'>,
  { home }: Pick<Repository, 'home'>,
  observe: Books['observe'] = () => {},
): Books {
  return { journal, observe, reviewFiles: createReviewFiles(join(home, 'reviews')) }
}
