import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { abstain, error, fail, type Json, numerical, pass, type Verdict, verdictFromJson } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'

/** A name that a judge or tier may have: whatever the rules of names let through of a text. */
function nameFrom(text: string, index: number): string {
  return `${index} ${text
    .replace(/[^\u0020-\u007e]/g, '')
    .trim()
    .slice(0, 50)}`.trim()
}

/** A verdict with a text wherever one is allowed. */
function verdictOf(text: string, index: number): Verdict {
  const name = nameFrom(text, index)
  const check = { name: text, passed: false, message: text, location: { path: text, line: 1 } }
  const evidence = {
    command: text,
    output: `ok 1\n\u001b[31mnot ok 2 - ${text}\u001b[39m\n${text}`,
    exitCode: 1,
    truncated: true,
    model: text,
    prompt: text,
    rawText: text,
    label: text,
    [`of ${text}`]: { [`in ${text}`]: text },
  }
  const judgments = {
    [name]: fail(text, { checks: [check, check], metadata: { ...evidence, text }, score: numerical(0.25) }),
    [`${name} 2`]: pass(text, { checks: [{ ...check, passed: true }] }),
    [`${name} 3`]: abstain(`${text} `),
    [`${name} 4`]: error(`${text} `, new Error(text)),
  }
  const inner = {
    aggregated: fail(text),
    individual: judgments,
    weights: Object.fromEntries(Object.keys(judgments).map((key, at) => [key, at + 1])),
    subVerdicts: {},
    usage: {},
    elapsedMs: 1,
  }
  return verdictFromJson({
    ...inner,
    subVerdicts: { [name]: inner },
    tiers: [
      { name, policy: 'reject-on-any-fail', outcome: 'rejected', elapsedMs: 1 },
      { name: `${name} end`, policy: 'final', outcome: 'not-reached', elapsedMs: 0 },
    ],
  })
}

/** A trial that carries a text in every field that takes one. */
function trialOf(text: string, index: number): ItemResult {
  const verdict = verdictOf(text, index)
  const failure = {
    name: text,
    message: text,
    code: text,
    stack: text,
    origin: 'agent',
    infrastructure: false,
  } as const
  return anItem({
    itemId: text.replaceAll(/[/\\\u0000-\u001f]/g, '_') + index,
    itemSlug: text,
    bucket: text,
    taskType: text,
    tags: [text],
    task: text,
    judged: 'fail',
    passed: false,
    failure,
    attempts: [{ failure, durationMs: 1, costUsd: null }],
    verdict,
    scores: { [text]: 0.5 },
    efficiency: { [text]: 0.5 },
    user: { ended: 'user-fault', faults: [{ name: text, turn: 1, message: text }], audited: true },
    detail: {
      kind: 'agent',
      invocation: {
        status: 'completed',
        output: { type: 'structured', data: { [text]: text } },
        sessionId: text,
        turns: [
          { role: 'user', text },
          {
            role: 'agent',
            text,
            steps: [{ name: text, input: { [text]: text }, output: text, status: 'failed', turn: 0 }],
          },
        ],
        metadata: { [text]: text },
        phases: [{ name: text, prompt: text, text, toolUses: [{ id: text, name: text, input: { [text]: text } }] }],
      },
    },
    workspacePath: `workspaces/${index}`,
    journalPath: `journal/${index}.jsonl`,
    metadata: { [text]: text },
  })
}

/** A run in which every text is in every field. */
export function hostileRun(texts: readonly string[], overrides: Partial<ExperimentResult> = {}): ExperimentResult {
  const all = texts.join(' ')
  const everything: { readonly [key: string]: Json } = Object.fromEntries(texts.map((text) => [text, text]))
  return aResult({
    experimentName: 'hostile',
    variant: 'hostile',
    session: 'hostile',
    items: texts.map(trialOf),
    conditions: everything,
    configuration: everything,
    metadata: everything,
    dataset: {
      name: all,
      version: all,
      hash: all,
      gitCommit: all,
      dirty: true,
      activeItemCount: 1,
      selectedItemCount: 1,
    },
    code: { gitCommit: all, dirty: true, dirtyFiles: texts },
    environment: { node: all, platform: all, arch: all, jurist: all, ci: false },
    jury: {
      name: all,
      fingerprint: all,
      judges: texts.map((text) => ({ path: text, name: text, kind: text, weight: 1 })),
      tiers: texts.map((text) => ({ name: text, policy: text })),
    },
    ...overrides,
  })
}

/** A calibration in which every text is a label, a reason and the name of an item. */
export function hostileCalibration(texts: readonly string[]): ExperimentResult {
  const items = texts.map((text, index) => {
    const trial = trialOf(text, index)
    const judgment = fail(text, { metadata: { confidence: (index % 10) / 10, text } })
    const scorer = {
      scored: true,
      match: index % 2 === 0,
      score: 0,
      expected: text,
      predicted: `${text}!`,
      reasoning: text,
    }
    return {
      ...trial,
      failure: null,
      passed: scorer.match,
      detail: { kind: 'judge', judgment, expectedLabel: text, scorer, swapped: null } as const,
    }
  })
  return hostileRun(texts, { kind: 'judge', items: items as readonly ItemResult[] })
}

/** Writes the workspaces and journals of a run: file names, lines and events that are texts of the set. */
export function writeHostileFiles(directory: string, run: ExperimentResult, texts: readonly string[]): void {
  const write = (path: string, text: string) => {
    const file = join(directory, run.experimentName, run.id, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [index, text] of texts.entries()) {
    const name = text.replaceAll(/[/\u0000]/g, '_').slice(0, 80)
    write(`workspaces/${index}/${name}.txt`, `${text}\n`)
    const events = [
      { type: 'prompt', text },
      { type: 'thinking', text, phase: text, at: text },
      { type: 'tool-call', id: text, name: text, input: { [text]: text }, at: '2026-01-01T00:00:00.000Z' },
      { type: 'tool-result', id: text, failed: true, content: text, at: '2026-01-01T00:00:01.000Z' },
      { type: 'model-call', model: text, provider: text, finishReason: text },
      { type: 'file', path: text, change: 'added' },
      { type: 'state', state: text },
      { type: 'custom', name: text, data: { [text]: text } },
    ]
    write(`journal/${index}.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  }
}
