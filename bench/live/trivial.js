/** What the live view is compared with: a page that counts the events and shows their number. */
let count = 0;
let asked = false;
window.addEventListener('message', ({ data }) => {
  if (data.type !== 'changes') return;
  count += data.flow.length;
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    document.getElementById('root').textContent = String(count);
  });
});
