import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findingsOf } from '../../../src/commands/doctor/checks.js'
import { type Project, project, yamlConfigOf } from '../../project.js'
import { onPostgres, testOnce } from '../../project-results.js'

interface Document {
  readonly missing: number
  readonly findings: readonly { readonly what: string; readonly state: string; readonly detail: string }[]
}

/** A busy machine takes long to start programs. */
const patient = ['--timeout', '10m'] as const

/** What doctor says of each thing. */
async function stated(made: Project, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await made.juristWith(env, 'doctor', '--json', ...patient)
  const { findings, missing } = JSON.parse(stdout) as Document
  expect(code).toBe(missing === 0 ? 0 : 1)
  return { stdout, missing, states: Object.fromEntries(findings.map(({ what, state }) => [what, state])) }
}

test('a project that runs is well, without and with a terminal', async () => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf() })
  const { missing, states } = await stated(made)
  expect(missing).toBe(0)
  expect(states).toMatchObject({ Node: 'ok', config: 'ok', 'dataset of demo': 'ok', results: 'ok' })
  const { code, stdout } = await made.jurist('doctor', ...patient)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ok {7}dataset of demo +2 items\n/)])
})

test('keys that the config names are looked for; their values are never printed', async () => {
  const models = `models:
  judge: { provider: anthropic, model: m, apiKeyEnv: JUDGE_KEY }
  other: { provider: openai-compatible, model: m, baseUrl: "http://127.0.0.1:9", apiKeyEnv: OTHER_KEY }
`
  using made = project({ 'jurist.config.yaml': `${models}${yamlConfigOf()}` })
  const { stdout, states, missing } = await stated(made, { JUDGE_KEY: 'sk-secret-value' })
  expect([missing, states['key JUDGE_KEY'], states['key OTHER_KEY']]).toEqual([1, 'ok', 'missing'])
  expect(stdout).not.toContain('sk-secret-value')
  made.write({ '.env': 'OTHER_KEY=sk-other\n' })
  expect((await made.juristWith({ JUDGE_KEY: 'x' }, '--env-file', '.env', 'doctor', ...patient)).code).toBe(0)
})

test('a config that does not load, and a dataset that is missing, are named', async () => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf({ dataset: 'nowhere' }) })
  const { states } = await stated(made)
  expect(states['dataset of demo']).toBe('missing')
  made.write({ 'jurist.config.yaml': 'experimets: {}\n' })
  const broken = await stated(made)
  expect([broken.states['config'], broken.stdout]).toEqual(['missing', expect.stringContaining('Did you mean')])
})

test('a sandbox that the config names must work, another need not', async () => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf({ rest: 'sandbox: "podman:node:24"' }) })
  made.write({ 'bin/podman': '#!/bin/sh\n[ "$1" = --version ] || exit 1\n' })
  chmodSync(join(made.directory, 'bin/podman'), 0o755)
  const path = { PATH: `${join(made.directory, 'bin')}:${process.env.PATH}` }
  expect((await stated(made, path)).states['podman']).toBe('missing')
  made.write({ 'jurist.config.yaml': yamlConfigOf() })
  expect((await stated(made, path)).states['podman']).toBe('warning')
})

test.skipIf(onPostgres)('an old schema is a warning, results in a file are missing', async () => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf(), results: '' })
  made.write({ 'jurist.schema.json': '{"title":"Config of jurist"}' })
  expect((await stated(made)).states).toMatchObject({ results: 'missing', 'jurist.schema.json': 'warning' })
})

testOnce('a config that never ends to load is a warning, when the time for a check is over', async () => {
  using made = project({ 'jurist.config.mjs': 'setInterval(() => {}, 1_000)\nawait new Promise(() => {})\n' })
  const { code, stdout } = await made.jurist('doctor', '--timeout', '40ms', '--json')
  const { findings } = JSON.parse(stdout) as Document
  const config = findings.find(({ what }) => what === 'config')
  expect([code, config]).toEqual([0, { what: 'config', state: 'warning', detail: 'did not answer within 40 ms' }])
})

test('a check that never ends is a warning', async () => {
  const never = { what: 'server', look: () => new Promise<never>(() => undefined) }
  expect(await findingsOf([never], 1)).toMatchObject([{ what: 'server', state: 'warning' }])
})
