import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jury, pass } from '@jurist/core'
import { runExperiment } from '@jurist/experiment'
import { fileStore } from '@jurist/experiment/store'
import { expect, test } from 'vitest'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { gate } from './gate.js'
import { openPage, runLinks } from './open-page.js'

test.skipIf(isWithoutBrowser)(inBrowser('a running experiment is followed to its end'), async () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-live-'))
  const gates = Array.from({ length: 4 }, gate)
  const store = fileStore(directory)
  const run = runExperiment({
    name: 'live',
    dataset: gates.map((_, index) => ({ id: `item-${index}`, task: 'wait' })),
    agent: async ({ metadata }) => {
      await gates[Number(String(metadata?.['itemId']).slice(5))]?.promise
      return { status: 'completed' }
    },
    jury: jury({ judges: { fine: async () => pass('fine') } }),
    concurrency: 1,
    store,
  })
  const page = await openPage(fileStore(directory), { directory })
  try {
    gates[0]?.resolve()
    const tab = await page.open('#/')
    await tab.getByText('running').waitFor()
    await tab.getByText('3 not run').waitFor()
    await runLinks(tab).click()
    await tab.getByText('Passed 1 of 1 decided').waitFor()
    await tab.getByText('3 not run').waitFor()
    gates[1]?.resolve()
    await tab.getByText('Passed 2 of 2 decided').waitFor()
    await tab.getByText('item-1').waitFor()
    for (const gate of gates) gate.resolve()
    await run.result
    await tab.getByText('Passed 4 of 4 decided').waitFor()
    await tab.getByText('completed', { exact: true }).waitFor()
    await tab.getByText('item-3').waitFor()
    expect(page.problems).toEqual([])
  } finally {
    for (const gate of gates) gate.resolve()
    await run.result
    await page[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  }
})
