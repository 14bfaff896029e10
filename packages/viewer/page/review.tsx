import { render } from 'preact'
import { Bar, Scales } from './bar.js'
import { SourceContext } from './documents.js'
import type { Keys } from './keys.js'
import { ReviewView } from './labelling/review-view.js'
import { reviewSource } from './labelling/use-review.js'

const own: Keys = {}

const root = document.getElementById('page')
if (root !== null)
  render(
    <SourceContext.Provider value={reviewSource}>
      <Bar own={own}>
        <span class="home">
          <Scales />
          Jurist
        </span>
      </Bar>
      <main id="main" tabIndex={-1}>
        <ReviewView />
      </main>
    </SourceContext.Provider>,
    root,
  )
