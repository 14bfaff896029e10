import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunOverview } from '@jurist/experiment/internal/results'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { isolationNotice } from '../../../src/commands/run/run-output.js'
import { project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(() => true)
  .catch(() => false)

const config = (sandbox: string, judge = '{ type: file-exists, path: done.txt }') => `experiments:
  e:
    dataset: [{ id: one, task: t }]
    agent: { command: [sh, -c, "ls /proc > /dev/null; pwd > done.txt"] }
    jury: ${judge}
    ${sandbox}
`
const yaml = (sandbox: string, judge?: string) => ({ 'jurist.config.yaml': config(sandbox, judge) })
const resultOf = (stdout: string) => JSON.parse(stdout).results[0]
const notice = /^notice: isolation none: .* give the experiment sandbox: bubblewrap .*copyWorkspaces/m

describe.concurrent('a config that is a document', () => {
  test('has no isolation unless it asks for it, and the run says so once', async () => {
    for (const sandbox of ['', 'sandbox: none']) {
      using made = project(yaml(sandbox))
      const { code, stderr, stdout } = await made.jurist('run', '--json')
      expect([code, resultOf(stdout).conditions.isolation]).toEqual([0, 'none'])
      expect(stderr.match(/isolation none/g)).toHaveLength(1)
      expect(stderr).toMatch(notice)
    }
  })

  test.skipIf(!hasBubblewrap).each(['auto', 'bubblewrap', '{ bubblewrap: { network: host } }'])(
    'asks for sandbox: %s (needs bubblewrap)',
    async (sandbox) => {
      using made = project(
        yaml(`sandbox: ${sandbox}`, '{ type: file-content, path: done.txt, equals: "/workspace\\n" }'),
      )
      const { code, stderr, stdout } = await made.jurist('run', '--json')
      expect([code, resultOf(stdout).conditions.isolation]).toEqual([0, 'namespace'])
      expect(stderr).not.toContain('isolation none')
    },
  )

  test.each([
    ['chroot', /experiments\.e\.sandbox \(line 6.*sandbox must be "none", "auto"/],
    ['"docker:"', /sandbox must be "none"/],
    ['[auto]', /sandbox must be "none"/],
    ['{ docker: {} }', /name an "image"/],
    ['{ bubblewrap: { net: host } }', /unknown option "net"/],
    ['docker:no-such-image-anywhere', /The sandbox "docker" is not available/],
  ])('sandbox: %s is refused before anything runs', async (sandbox, message) => {
    using made = project(yaml(`sandbox: ${sandbox}`))
    const { code, stderr } = await made.jurist('run')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})

describe.skipIf(process.platform !== 'linux')('a judge that prints the variables of its parent', () => {
  test('stores none of the keys', async () => {
    const judge = '{ type: command-succeeds, command: "cat /proc/$PPID/environ; cat /proc/$PPID/environ >&2; exit 1" }'
    using made = project(yaml('', judge))
    const planted = { OPENAI_API_KEY: 'sk-live-0123456789', GITHUB_TOKEN: 'ghp_planted_42', DB_PASSWORD: 'x' }
    await made.startWith({ ...planted, PLAIN: 'plain-value' }, 'run').ended
    const stored = await made.results.everything()
    expect(stored).toContain('PLAIN=plain-value')
    expect(stored).toContain('OPENAI_API_KEY=***')
    expect(stored).not.toMatch(/sk-live|ghp_planted|DB_PASSWORD=x/)
  })
})

describe.skipIf(process.platform !== 'linux')('what a killed run leaves in the temporary directory', () => {
  test('is deleted by the next run, and not as long as it runs', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'jurist-killed-'))
    const ours = () => readdirSync(temporary).filter((name) => name.startsWith('jurist-'))
    try {
      const stay = config('').replace(
        'pwd > done.txt',
        'pwd > done.txt; echo here > here.txt; while [ -e here.txt ]; do sleep 1; done',
      )
      using made = project({ 'stay/jurist.config.yaml': stay, ...yaml('') })
      const env = { TMPDIR: temporary }
      const running = made.startWith(env, 'run', '-C', 'stay')
      const isThere = () => ours().some((name) => readdirSync(join(temporary, name)).includes('here.txt'))
      while (!isThere()) await new Promise((resolve) => setImmediate(resolve))
      await made.startWith(env, 'run').ended
      expect(ours()).toHaveLength(onPostgres ? 2 : 1)
      running.child.kill('SIGKILL')
      await running.ended
      mkdirSync(join(temporary, 'jurist-of-somebody-else'))
      await made.startWith(env, 'run').ended
      expect(ours()).toEqual(['jurist-of-somebody-else'])
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
  })
})

test('of a long run only some trials are read for the notice', async () => {
  const results = mkdtempSync(join(tmpdir(), 'jurist-isolation-'))
  try {
    const items = Array.from({ length: 250 }, (_, at) => anItem({ itemId: `i${at}`, workspacePath: '/w' }))
    const run = aResult({ items, planned: 250, conditions: { isolation: 'none' } })
    const store = fileStore(results, { sync: false })
    await store.save(run)
    const overview = await store.overview(run.id)
    if (overview === undefined) throw new Error('The run is gone.')
    const asked: number[] = []
    const watched: RunOverview = {
      ...overview,
      async readItems(trials) {
        asked.push(trials?.length ?? items.length)
        return await overview.readItems(trials)
      },
    }
    expect(await isolationNotice([watched])).toContain('isolation none')
    expect(asked).toEqual([200])
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
})
