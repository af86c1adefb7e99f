import { createStore } from './store.ts';

/** The pages, in the order of their keys. */
export const places = ['live', 'servers', 'try', 'numbers'] as const;
export type Place = (typeof places)[number];

function placeIn(hash: string): Place {
  return places.find((place) => hash === `#${place}`) ?? 'live';
}

/** The page that is looked at; the address says which, so that the browser can go back. */
export const place = createStore<Place>(placeIn(location.hash));

addEventListener('hashchange', () => place.set(placeIn(location.hash)));

export function goTo(next: Place): void {
  location.hash = next;
}
