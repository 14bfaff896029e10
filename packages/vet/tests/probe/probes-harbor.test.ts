import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jury } from '@jurist/core'
import { copyWorkspaces, type ExperimentOptions } from '@jurist/experiment'
import { memoryStore } from '@jurist/experiment/store'
import { bubblewrapSandbox, dockerSandbox, localWorkspace } from '@jurist/workspace'
import { harborVerifier } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { runProbes, vet, vetReportText } from '../../src/index.js'

const works = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const program = fileURLToPath(new URL('../../../../tests/structure/docker-by-bubblewrap.sh', import.meta.url))

/** An item whose verifier runs a program of the workspace, and writes a reward only if that says SUCCESS. */
function experimentIn(root: string, script: string): ExperimentOptions {
  const files = {
    'dataset.json': JSON.stringify({
      ...{ schemaVersion: 1, name: 'sums', version: '1.0.0' },
      items: [{ id: 'sum', slug: 'sum', path: 'sum', bucket: 'a', taskType: 'fix', status: 'active' }],
    }),
    'sum/item.json': JSON.stringify({
      task: 'Write the sum.',
      judges: { verifier: { type: 'harbor-verifier', task: 'harbor' } },
    }),
    'sum/before/verify.sh': 'test -f total.txt && echo SUCCESS\n',
    'sum/reference/total.txt': '3\n',
    'sum/harbor/environment/Dockerfile': 'FROM debian\nWORKDIR /app\n',
    'sum/harbor/tests/test.sh': script,
    'sum/harbor/tests/own.sh': 'test -f total.txt && echo SUCCESS\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(program, join(root, 'docker'))
  const sandbox = dockerSandbox({ image: 'org/task:1', cli: join(root, 'docker'), asImage: true })
  return {
    ...{ name: 'sums', dataset: root, store: memoryStore(), itemJury: 'replace' },
    provision: copyWorkspaces({ sandbox }),
    describedJudges: async () =>
      jury({ judges: { verifier: harborVerifier({ task: localWorkspace(join(root, 'sum/harbor')) }) } }),
  }
}

const probed: readonly string[] = ['verifier-replaced']
const reward = (path: string) => `cd /app\nsh ${path} | grep SUCCESS && echo 1 > /logs/verifier/reward.txt\n`

describe.skipIf(!works)('probes of Harbor verifiers (skipped where bubblewrap does not work)', () => {
  test('gets through where the verifier believes a program of the workspace', async () => {
    await using root = await temporaryWorkspace()
    const { probes } = await runProbes(experimentIn(root.root, reward('/app/verify.sh')), {
      probes: probed,
    })
    expect(probes.at(-1)).toMatchObject({ name: 'verifier-replaced', applicable: 1, passed: [{ itemId: 'sum' }] })
  })

  test('does not apply where it runs its own', async () => {
    await using root = await temporaryWorkspace()
    const { probes } = await runProbes(experimentIn(root.root, reward('/tests/own.sh')), {
      probes: probed,
    })
    expect(probes.at(-1)).toMatchObject({ name: 'verifier-replaced', applicable: 0 })
  })

  test('truth-copied gets through where the answer is outside the workspace, in reach', async () => {
    const compared = (path: string) => `cmp /app/out/total.txt ${path} && echo 1 > /logs/verifier/reward.txt\n`
    const tried = async (path: string) => {
      await using root = await temporaryWorkspace()
      const { probes } = await runProbes(experimentIn(root.root, compared(path)), { probes: ['truth-copied'] })
      return probes.at(-1)
    }
    expect(await tried('/etc/passwd')).toMatchObject({ applicable: 1, passed: [{ itemId: 'sum' }] })
    expect(await tried('/tests/own.sh')).toMatchObject({ applicable: 0 })
  })

  test('the card tells that without any change no reward is written', async () => {
    await using root = await temporaryWorkspace()
    const card = await vet(experimentIn(root.root, reward('/tests/own.sh')), { level: 'quick' })
    expect(card).toMatchObject({ solvable: { count: 1, of: 1 }, idleNotJudged: [{ itemId: 'sum' }] })
    expect((await vetReportText(card)).replaceAll(/\s+/g, ' ')).toMatch(
      /doing nothing passes; not judged on 1 item \(sum: .*reward/,
    )
  })
})
