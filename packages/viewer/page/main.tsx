import { render } from 'preact'
import { Page } from './frame.js'
import { SourceContext, server } from './source.js'

const root = document.getElementById('page')
if (root !== null)
  render(
    <SourceContext.Provider value={server}>
      <Page />
    </SourceContext.Provider>,
    root,
  )
