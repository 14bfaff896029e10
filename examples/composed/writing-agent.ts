import type { Agent } from '@jurist/core'
import { completed } from '@jurist/experiment'

/**
 * Plays a coding agent: it writes a release note, and does what its prompt asks for, no more. It lists the changes
 * when asked to, by the task, by a plan or by a report on its last attempt.
 */
export const writingAgent: Agent = async function writingAgent({ prompt, workspace }) {
  const lines = ['# Release 2.0']
  if (/changes/i.test(prompt)) lines.push('', '## Changes', '', '- The parser reads dates.')
  await workspace.write('RELEASE.md', `${lines.join('\n')}\n`)
  return completed({
    output: 'Wrote RELEASE.md',
    costUsd: 0.01,
    usage: { inputTokens: prompt.length, outputTokens: 20 },
  })
}
