import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { certifiedProject } from './certified-project.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { openTab } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('the calibration of a cascade'), () => {
  let made: Awaited<ReturnType<typeof certifiedProject>>
  let browser: TestBrowser
  let viewing: RunningView
  const problems: string[] = []
  const output = mkdtempSync(join(tmpdir(), 'jurist-certificate-'))

  beforeAll(async () => {
    made = await certifiedProject()
    browser = await startBrowser()
    viewing = await startView(made, 'latest')
  })
  afterAll(async () => {
    await viewing?.stop()
    await browser?.close()
    made?.[Symbol.dispose]()
    rmSync(output, { recursive: true, force: true })
  })

  const certificate = () => JSON.parse(readFileSync(join(made.directory, 'certificates/parcels.json'), 'utf8'))

  test('shows what is certified, the curve with its band, who decides, the tests, and where a sure tier was wrong', async () => {
    const tab = await openAt(browser, viewing.url, `#/runs/${made.calibration}/calibration`, problems)
    await tab.getByText('Certified: at most 15.0 % disagreement').waitFor()
    const { threshold, decided, errors } = certificate()
    const curve = tab.getByRole('img', { name: `certified at ${threshold}` })
    expect(await curve.locator('.band').count()).toBe(1)
    expect(await curve.locator('.dot').count()).toBe(1)
    const rowOf = (text: string) => tab.getByRole('row').filter({ hasText: text })
    const tested = await rowOf(threshold.toFixed(3)).innerText()
    expect(tested.split(/\s+/).slice(1, 3)).toEqual([String(decided), String(errors)])
    expect(await rowOf('stops here').count()).toBe(1)
    expect(await rowOf('declared').allInnerTexts()).toEqual([
      expect.stringMatching(/^small\s+\d+/),
      expect.stringMatching(/^large\s+\d+/),
    ])
    await tab.getByText('small, confidence 0.97').first().waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.locator('article.disagreement a').first().click()
    await tab
      .getByText(/What does a parcel of/)
      .first()
      .waitFor()
    expect(problems).toEqual([])
  })

  test('what if moves the threshold of a certified tier', async () => {
    await made.jurist('run', 'certified')
    const [run] = JSON.parse((await made.jurist('list', '--json')).stdout).filter(
      ({ experimentName }: { experimentName: string }) => experimentName === 'certified',
    )
    const tab = await openAt(browser, viewing.url, `#/runs/${run.id}/what-if`, problems)
    const small = tab.getByRole('group', { name: 'small' })
    const needed = small.getByRole('spinbutton', { name: 'Confidence needed' })
    expect(await needed.inputValue()).toBe(String(certificate().threshold))
    expect(await small.getByLabel('Vote').count()).toBe(0)
    await needed.fill('0.5')
    await tab.getByText('Trials whose outcome changes').waitFor()
    expect(decodeURIComponent(await tab.evaluate(() => location.hash))).toContain('confidence:small=0.5')
    expect(await accessibilityProblems(tab)).toEqual([])
    await needed.fill('1')
    await tab.getByRole('cell', { name: 'unknown' }).first().waitFor()
    await small.getByLabel('Policy').selectOption('accept-when-decided')
    await small.getByLabel('Vote').waitFor()
    await tab.getByRole('button', { name: 'Reset' }).click()
    await tab.getByText('Change a setting to see its effect.').waitFor()
    expect(problems).toEqual([])
  })

  test('a report of one file shows the same', async () => {
    const { code } = await made.jurist('view', made.calibration, '--static', output)
    expect(code).toBe(0)
    const [file = ''] = readdirSync(output)
    const tab = await openTab(browser, {}, problems)
    await tab.goto(`${pathToFileURL(join(output, file)).href}#/runs/${made.calibration}/calibration`)
    await tab.getByText('Certified: at most 15.0 % disagreement').waitFor()
    expect(await tab.locator('svg .band').count()).toBe(1)
  })
})
