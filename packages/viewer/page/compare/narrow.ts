import { useEffect, useState } from 'preact/hooks'

/** The same width as in the style sheet: two columns need more room. */
const narrow = '(max-width: 48rem)'

export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches)
  useEffect(() => {
    const media = matchMedia(narrow)
    const listen = () => setNarrow(media.matches)
    media.addEventListener('change', listen)
    return () => media.removeEventListener('change', listen)
  }, [])
  return isNarrow
}
