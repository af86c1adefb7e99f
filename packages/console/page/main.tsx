import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { follow } from './events.ts';

/** A page that cannot be drawn says so, instead of being empty. */
function tellOfFault(error: unknown): void {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = `This page cannot be shown: ${String(error)}. Load it again.`;
  document.body.prepend(notice);
}

const place = document.querySelector('#page');
if (place !== null) createRoot(place, { onUncaughtError: tellOfFault }).render(<App />);
void follow();
