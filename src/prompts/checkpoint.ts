/**
 * What a reviewer of unfinished work is told. It says whether the work is on its way; nothing is approved or stopped by
 * it, and what it finds is told to the developer.
 */
import type { Task } from '../core/task.ts'
import type { Diff } from '../vcs/vcs.ts'
import { renderChange } from './change.ts'
import { type OtherLoop, renderOtherLoops } from './other-loops.ts'
import { readingRules } from './reviewer.ts'
import { renderOf, renderPlanSection, renderTask } from './task-definition.ts'
import { paragraphs } from './untrusted.ts'

export interface CheckpointBrief {
  id: number
  task: Task
  of: { id: number; task: Task } | null
  iteration: number
  diff: Diff
  room: number
  diffFile: string
  include: { taskDefinition: boolean; gitDiff: boolean; plan: boolean }
  others: OtherLoop[]
  runsGates: boolean
  instructions: string[]
}

export function checkpointPrompt(brief: CheckpointBrief): string {
  const { include, instructions } = brief
  return paragraphs(
    '# You are the reviewer, at a checkpoint',
    `The work below is not finished: somebody is in the middle of it, in iteration ${brief.iteration}. Say whether it is on ` +
      'its way to what the task asks for. What is still missing is no finding, and nothing is merged or approved by what ' +
      `you say. ${readingRules}`,
    questions,
    evidence(brief.runsGates),
    include.taskDefinition && renderTask(brief.id, brief.task),
    include.plan && renderPlanSection(brief.task),
    include.taskDefinition && brief.of && renderOf(brief.of),
    renderOtherLoops(brief.others),
    include.gitDiff && renderChange(brief.diff, brief.room, brief.diffFile),
    answer,
    instructions.length > 1 &&
      'There are several ways to give your verdict. Use the first of these that you can; one is enough. If you use more ' +
        'than one, they must say the same.',
    ...instructions,
  )
}

/** Nothing is done yet, so there is nothing to be shown of that. */
function evidence(runsGates: boolean): string {
  const runs = runsGates
    ? ' or on a gate that you have run now by the tool `run_gate`; the work may fail it still'
    : ''
  return `## Evidence\n\nClaim only what you can show: it rests on files you read${runs}. What you could not check, say so.`
}

const questions = `## What to look for

- On the way: does what is there lead to what the task asks for? What is the task for, beyond its letter?
- Off the task: is there work that nobody asked for, or a misunderstanding that grows with every step?
- Spinning: is the same thing done and undone, patched again and again, or grown without coming nearer?
- Unsound: an approach that can not work, tests weakened, something broken that worked before.`

const answer = `## Your answer

APPROVED: it is on its way, go on like this. CHANGES_REQUESTED: something about it has to change, and you say what. Nothing is
approved or stopped by your verdict; the developer is told your issues before it goes on. Name each with file, line, type,
severity, a description and a suggestion, and name only what is worth an interruption. Where the forms below speak of work
that may be merged, read: that may go on like this.`
