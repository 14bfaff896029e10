import type { ExperimentResult } from '@jurist/experiment/result'
import { render } from 'preact'
import { answer } from '../src/answers/answer.js'
import { shelfOf } from '../src/answers/shelf-of.js'
import { Page } from './frame.js'
import { linkTo } from './place.js'
import { type Source, SourceContext } from './source.js'

/** The page as a report: it answers its own questions from the results that stand in its file. */
const results = JSON.parse(document.getElementById('results')?.textContent ?? '[]') as readonly ExperimentResult[]
const shelf = shelfOf(results)
const inFile: Source = (path, query) => answer(shelf, path, query ?? new URLSearchParams())

const [first] = results
if (location.hash === '' && first !== undefined) history.replaceState(null, '', linkTo(['runs', first.id]))
const root = document.getElementById('page')
if (root !== null)
  render(
    <SourceContext.Provider value={inFile}>
      <Page />
    </SourceContext.Provider>,
    root,
  )
