import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomically } from '../lib/file/write-atomically.ts'
import type { CompletedReview, ReviewFiles } from '../loop/ports.ts'
import type { Books } from '../loop/record.ts'
import type { Store } from '../store/store.ts'
import { renderReviewFile, reviewFileName } from '../view/review-file.ts'
import type { Repository } from './repository.ts'

/** The journal and its parts, for writes outside a run. Without `observe`, the command shows no events. */
export function createBooks(
  { journal }: Pick<Store, 'journal'>,
  { home }: Pick<Repository, 'home'>,
  observe: Books['observe'] = () => {},
): Books {
  return { journal, observe, reviewFiles: createReviewFiles(join(home, 'reviews')) }
}

/** Writes a file for each review into one folder. */
function createReviewFiles(folder: string): ReviewFiles {
  const pathOf = ({ data, at }: CompletedReview, id: number) =>
    join(folder, reviewFileName(id, data.cycle, at))
  const files: ReviewFiles = {
    async write(review, task) {
      await mkdir(folder, { recursive: true })
      await writeAtomically(pathOf(review, task.id), renderReviewFile(task, review.data, review.at))
    },
    async ensure(review, task) {
      if (!existsSync(pathOf(review, task.id))) await files.write(review, task)
    },
  }
  return files
}
