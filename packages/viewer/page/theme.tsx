import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Chooses the theme: light, dark, or the one of the system. The browser remembers it. */
export function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(remembered)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    remember(theme)
  }, [theme])
  return (
    <label class="theme">
      <span>Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {themes.map((one) => (
          <option value={one} key={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A page opened from disk may not have storage. */
function remembered(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem('jurist.theme')) ?? 'system'
  } catch {
    return 'system'
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem('jurist.theme', theme)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
