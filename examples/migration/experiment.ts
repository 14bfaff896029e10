import { fileURLToPath } from 'node:url'
import type { ExperimentOptions } from 'jurist'
import { migrationJury } from './jury.js'
import type { Model } from './model/model.js'
import { recordedAgent } from './recorded-agent.js'

/** What is measured, however it is run: the program `main.ts`, or the command with `jurist.config.ts`. */
export function migration(model: Model): Omit<ExperimentOptions, 'name'> {
  return {
    dataset: fileURLToPath(new URL('dataset', import.meta.url)),
    agent: recordedAgent,
    jury: migrationJury(model),
  }
}
