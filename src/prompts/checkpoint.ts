/**
 * The prompt for a review of unfinished work. The reviewer says whether the work is on the right track. Its answer
 * approves and stops nothing; the developer is told what it found.
 */
import type { Task } from '../core/task.ts'
import type { Diff } from '../vcs/review-rooms.ts'
import { type OtherLoop, renderOtherLoops } from './other-tasks.ts'
import { renderChange } from './render-change.ts'
import { renderOf, renderPlanSection, renderTask } from './render-task.ts'
import { readingRules } from './reviewer.ts'
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
    `The work below is not finished: a developer is in the middle of it, in iteration ${brief.iteration}. Say whether it ` +
      'is on track to do what the task asks. Missing work is not a finding. Your answer merges and approves ' +
      `nothing. ${readingRules}`,
    questions,
    evidence(brief.runsGates),
    include.taskDefinition && renderTask(brief.id, brief.task),
    include.plan && renderPlanSection(brief.task),
    include.taskDefinition && brief.of && renderOf(brief.of),
    renderOtherLoops(brief.others),
    include.gitDiff && renderChange(brief.diff, brief.room, brief.diffFile),
    answer,
    instructions.length > 1 &&
      'There are several ways to give your verdict. Use the first one that works for you; one is enough. If you use ' +
        'more than one, they must agree.',
    ...instructions,
  )
}

/** Unlike the evidence rule of a full review, this asks for no proof that the task is done: it is not. */
function evidence(runsGates: boolean): string {
  const runs = runsGates
    ? ' or on a gate that you ran now with the tool `run_gate` (unfinished work may still fail it)'
    : ''
  return `## Evidence\n\nClaim only what you can show, based on files you read${runs}. Say what you could not check.`
}

const questions = `## What to look for

- On track: does the work so far lead to what the task asks for? What is the purpose behind the task's words?
- Off the task: is there work that the task does not ask for, or a misunderstanding that grows with every step?
- Spinning: is the same thing done and undone, patched again and again, or growing without progress?
- Unsound: an approach that cannot work, weakened tests, something broken that worked before.`

const answer = `## Your answer

APPROVED: the work is on track and continues like this. CHANGES_REQUESTED: something has to change, and you say what. Your
verdict approves and stops nothing; the developer reads your issues before it continues. List each issue with file, line,
type, severity, a description and a suggestion. List only what is worth an interruption. Where the forms below say that work
may be merged, read: may continue like this.`
