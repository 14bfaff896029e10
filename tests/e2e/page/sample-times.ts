import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { chance } from './chance.js'

/** What the store writes itself. */
const written = ['run.json', 'items.jsonl', 'trials.jsonl', 'lock']

/**
 * Copies a store whose agents and judges ended immediately into another one, with times that agents and models take: minutes
 * for an agent, seconds for a judge by a model. Everything else stays as it was made.
 */
export async function copyWithTimes(from: string, to: string, ids: readonly string[]): Promise<void> {
  const [source, target] = [fileStore(from), fileStore(to, { sync: false })]
  for (const id of ids) {
    const run = await source.load(id)
    if (run === undefined) throw new Error(`There is no run ${id}.`)
    await target.save(withTimes(run))
    const directory = (results: string) => join(results, run.experimentName, run.id)
    for (const name of readdirSync(directory(from)).filter((one) => !written.includes(one)))
      cpSync(join(directory(from), name), join(directory(to), name), { recursive: true })
  }
}

function withTimes(run: ExperimentResult): ExperimentResult {
  const items = run.items.map(timed)
  const durationMs = items.reduce((sum, item) => sum + item.durationMs, 0) / 4
  const endedAt = new Date(Date.parse(run.startedAt) + durationMs).toISOString()
  return { ...run, items, durationMs: Math.round(durationMs), endedAt }
}

function timed(item: ItemResult): ItemResult {
  const name = `${item.itemId} ${item.repetition}`
  const agentMs = item.agentMs > 0 ? Math.round(70_000 + chance(`time ${name}`) * 260_000) : 0
  const verdict = JSON.parse(JSON.stringify(item.verdict), (key, value) =>
    key === 'elapsedMs' ? Math.round(400 + chance(`${name} ${value}`) * 5_200) : value,
  )
  return { ...item, agentMs, durationMs: agentMs + 8_000, verdict }
}
