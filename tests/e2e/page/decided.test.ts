import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { decidedConfig } from './decided-project.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(
  inBrowser('runs that stop when they are decided, and labels, through jurist view'),
  () => {
    let [made, viewed, tab]: [Project, ViewedProject, Page] = [] as never
    const decided = ['run', 'sums', '--variant', 'idle', '--variant', 'candidate', '--until', 'decided']

    beforeAll(async () => {
      made = project({ 'jurist.config.mjs': decidedConfig })
      viewed = await viewProject(made, '#/')
      tab = viewed.tab
    })
    afterAll(() => viewed?.end())

    const runOf = async (variant: string): Promise<string> =>
      JSON.parse((await made.jurist('list', 'sums', '--variant', variant, '--json')).stdout)[0].id

    test('the evidence grows against the line, and the end says what is found', async () => {
      const slow = join(made.directory, 'slow')
      writeFileSync(slow, '')
      const { ended, said } = made.start(...decided)
      await said('[28/200]')
      await goTo(tab, `#/runs/${await runOf('candidate')}`)
      const bar = tab.getByRole('progressbar', { name: 'Evidence against the line where the run stops' })
      await bar.waitFor()
      await tab.getByText('Not decided yet after 14 of 100 items.').waitFor()
      const early = Number(await bar.getAttribute('value'))
      rmSync(slow)
      const { code } = await ended
      expect([code, existsSync(slow)]).toEqual([0, false])
      await tab.getByText(/^Stopped early: decided after \d+ of 100 items: candidate is better than idle\.$/).waitFor()
      expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(early)
      await tab
        .getByText(/items? did not run/)
        .first()
        .waitFor()
      expect(await accessibilityProblems(tab)).toEqual([])
    })

    test('a run that stopped early is hollow in the trend, beside one that did not', async () => {
      await made.jurist('run', 'sums', '--variant', 'candidate')
      await goTo(tab, '#/experiments/sums/candidate')
      const dots = tab.locator('figure.trend').first().locator('.dot')
      await expect.poll(() => dots.count()).toBe(2)
      const hollow = await dots.evaluateAll((all) => all.map((dot) => dot.classList.contains('hollow')))
      expect(hollow).toEqual([true, false])
      await tab
        .getByRole('link', { name: /stopped early/ })
        .first()
        .waitFor()
    })

    test('labels give an estimate of the true pass rate, in one sentence', async () => {
      const run = await runOf('candidate')
      const keys = 'p'.repeat(20) + 'f'.repeat(10)
      const labelled = await made.juristReading(keys, {}, 'label', run, '--by', 'ana', '--sample', '30', '--seed', '1')
      expect(labelled.stdout).toContain('30 of 30 trials labelled by ana')
      const { stdout } = await made.jurist('calibrate', '--run', run)
      const [sentence = ''] =
        /People would pass .*the judges pass [\d.]+ %\./.exec(stdout.replaceAll(/\s+/g, ' ')) ?? []
      expect(sentence).toContain('by 30 labels and the verdicts')
      await goTo(tab, `#/runs/${run}/calibration`)
      await tab.getByText(sentence).waitFor()
      expect(await accessibilityProblems(tab)).toEqual([])
    })
  },
)
