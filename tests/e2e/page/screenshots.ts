import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { viewer } from '@jurist/viewer'
import { afterAll, beforeAll, test } from 'vitest'
import { root } from '../../structure/source.js'
import { startBrowser } from './browser.js'
import { makeSampleStore, type SampleStore } from './sample-store.js'
import { servePage } from './served-page.js'

const pictures = process.env['JURIST_SCREENSHOTS'] ?? join(root, 'docs/screenshots')
const directory = mkdtempSync(join(tmpdir(), 'jurist-screenshots-'))
let sample: SampleStore

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  sample = await makeSampleStore(directory)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('pictures of every view', async () => {
  const { runs, results, dataset, calibration } = sample
  await using page = await servePage(viewer(fileStore(results), { directory: results, sources: [dataset] }))
  const browser = await startBrowser()
  const views: Readonly<Record<string, string>> = {
    runs: '#/',
    run: `#/runs/${runs.control}`,
    item: `#/runs/${runs.control}/items/fix-totals/1`,
    changes: `#/runs/${runs.control}/items/fix-totals/1/changes?layout=sides`,
    calibration: `#/runs/${calibration}/calibration`,
    behaviour: `#/runs/${runs.control}/behaviour`,
    comparison: `#/compare/${runs.control}/${runs.knowledge}`,
    'what-if': `#/runs/${runs.control}/what-if?threshold:meaning=0.9`,
    journal: `#/runs/${runs.control}/items/fix-totals/1/journal`,
  }
  for (const [name, place] of Object.entries(views))
    for (const look of looksOf(name)) {
      const context = await browser.newContext({ viewport: look, colorScheme: look.theme })
      const tab = await context.newPage()
      await tab.goto(`${page.origin}/${place}`)
      await tab.waitForLoadState('networkidle')
      await tab.screenshot({ path: join(pictures, `${name}${look.suffix}.png`) })
      await context.close()
    }
  await browser.close()
})

interface Picture {
  readonly suffix: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

/** Every view by day; the two that are looked at most also by night, and on a telephone. */
function looksOf(name: string): readonly Picture[] {
  const day: Picture = { suffix: '', width: 1_280, height: 860, theme: 'light' }
  if (name !== 'run' && name !== 'item') return [day]
  return [day, { ...day, suffix: '-dark', theme: 'dark' }, { ...day, suffix: '-narrow', width: 360, height: 780 }]
}
