import { dollars, duration, grouped } from './amounts.js'
import type { CommandEvidence, Evidence, ModelEvidence } from './evidence.js'

/** A part of the evidence as terminals and reports print it. Untrusted: escape it for the place. */
export interface EvidenceBlock {
  /** On one line: `$ npm test   exit code 1, 1.2 s`. */
  readonly title: string
  /** Many lines, or empty. */
  readonly text: string
  /** Whether readers rarely need it: prompts, and other metadata of the judge. */
  readonly isDetail: boolean
}

/**
 * The evidence in blocks: the error, the command with its output, the answer and the prompt of a model, votes, other
 * metadata. Reports escape, indent and shorten the blocks but do not change their content.
 */
export function evidenceBlocks({ command, model, votes, error, metadata }: Evidence): readonly EvidenceBlock[] {
  const rest = Object.entries(metadata).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [
    ...(error?.stack ? [block(`${error.name}: ${error.message}`, error.stack)] : []),
    ...(command === null ? [] : [block(commandTitle(command), command.output)]),
    ...(model === null ? [] : modelBlocks(model)),
    ...(votes === null ? [] : [detail('Votes', Object.entries(votes).map(countText).join(', '))]),
    ...(rest.length === 0 ? [] : [detail('Metadata', rest.join('\n'))]),
  ]
}

function block(title: string, text: string): EvidenceBlock {
  return { title, text, isDetail: false }
}

function detail(title: string, text: string): EvidenceBlock {
  return { title, text, isDetail: true }
}

function countText([name, count]: readonly [string, number]): string {
  return `${name} ${grouped(count)}`
}

function commandTitle({ line, exitCode, signal, timedOut, durationMs }: CommandEvidence): string {
  const end = timedOut
    ? 'timed out'
    : exitCode === null
      ? signal === null
        ? 'no exit code'
        : `killed by ${signal}`
      : `exit code ${exitCode}`
  return `$ ${line}   ${end}${durationMs === null ? '' : `, ${duration(durationMs)}`}`
}

function modelBlocks({ name, answer, prompt, cached, usage, costUsd }: ModelEvidence): readonly EvidenceBlock[] {
  const spent = [
    ...(cached ? ['cached'] : []),
    ...(usage?.inputTokens === undefined ? [] : [`${grouped(usage.inputTokens)} tokens in`]),
    ...(usage?.outputTokens === undefined ? [] : [`${grouped(usage.outputTokens)} out`]),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
  ].join(', ')
  const title = `Answer of ${name ?? 'the model'}${spent === '' ? '' : `   ${spent}`}`
  return [...(answer === null ? [] : [block(title, answer)]), ...(prompt === null ? [] : [detail('Prompt', prompt)])]
}
