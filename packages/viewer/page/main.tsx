import { render } from 'preact'
import { SourceContext, server } from './documents.js'
import { Page } from './page.js'
import { followPlaces } from './places.js'

followPlaces()
const root = document.getElementById('page')
if (root !== null)
  render(
    <SourceContext.Provider value={server}>
      <Page />
    </SourceContext.Provider>,
    root,
  )
