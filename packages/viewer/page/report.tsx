import type { ExperimentResult } from '@jurist/experiment/result'
import { render } from 'preact'
import { answer } from '../src/answers/answer.js'
import { runsInMemory } from '../src/answers/run-reader.js'
import { type Source, SourceContext } from './documents.js'
import { Page } from './page.js'
import { followPlaces } from './places.js'
import { linkTo } from './router.js'

/** The page as a static report: documents are computed from the results in its own file. */
const results = JSON.parse(document.getElementById('results')?.textContent ?? '[]') as readonly ExperimentResult[]
const reader = runsInMemory(results)
const inFile: Source = (path, query) => answer(reader, path, query ?? new URLSearchParams())

const [first] = results
if (location.hash === '' && first !== undefined) history.replaceState(null, '', linkTo(['runs', first.id]))
followPlaces()
const root = document.getElementById('page')
if (root !== null)
  render(
    <SourceContext.Provider value={inFile}>
      <Page />
    </SourceContext.Provider>,
    root,
  )
