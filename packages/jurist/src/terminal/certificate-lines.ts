import { certificateLines, certificateUses } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'

/** What a run decided under its certificates; no lines for a run without one. */
export async function certificateBlock(run: RunResult): Promise<readonly string[]> {
  if (run.jury?.certificates === undefined) return []
  return certificateUses(await resultWithItems(run)).flatMap((use) => [
    `  Certificate ${safeLine(use.certificate.id)}`,
    ...certificateLines(use).map((line) => `    ${safeLine(line)}`),
    '',
  ])
}
