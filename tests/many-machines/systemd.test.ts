import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { copyOfExample, textOf } from './example.js'
import { shareARun } from './workers.js'

const file = 'systemd/jurist-worker@.service'
const noSystemd = existsSync('/usr/bin/systemd-analyze') ? undefined : 'needs systemd-analyze: apt-get install systemd'

/** The settings of the unit of a project; those that are there twice, together. */
function settings(project: string): Readonly<Record<string, readonly string[]>> {
  const all: Record<string, string[]> = {}
  for (const line of textOf(file).replaceAll('%i', project).split('\n')) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== '') all[name] = [...(all[name] ?? []), value]
  }
  return all
}

test.skipIf(noPostgres)(`two workers of the unit share a run [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const { ExecStart = [], WorkingDirectory, Environment = [], EnvironmentFile } = settings('sums')
  expect([WorkingDirectory, EnvironmentFile]).toEqual([['/srv/evals/sums'], ['/etc/jurist/sums.env']])
  const own = Object.fromEntries(Environment.map((line) => line.split('=') as [string, string]))
  expect(Object.keys(own)).toEqual(['JURIST_CONCURRENCY', 'HOME'])
  const env = { ...own, HOME: copy.directory, JURIST_RESULTS: await newDatabase() }
  const worker = (ExecStart[0] ?? '').replaceAll('/srv/evals/sums', copy.directory).split(' ')
  await shareARun(copy, { worker, submit: ['jurist', 'run', 'sums', '--distributed', '--detach'], env })
})

test.skipIf(noSystemd)(`systemd accepts the unit [${noSystemd ?? 'systemd-analyze'}]`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-unit-'))
  const command = join(directory, 'sums/node_modules/.bin/jurist')
  mkdirSync(join(command, '..'), { recursive: true })
  writeFileSync(command, '#!/bin/sh\n')
  chmodSync(command, 0o755)
  const unit = join(directory, 'jurist-worker@sums.service')
  const complaints = (text: string) => {
    writeFileSync(unit, text.replaceAll('/srv/evals', directory))
    return spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' }).stderr
  }
  try {
    expect(complaints(textOf(file))).toBe('')
    expect(complaints(textOf(file).replace('KillMode=', 'KillMod='))).toContain('Unknown key')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
