// Uses a page as a person would, and says in its title what came of it: `fine`, or what is wrong. Added to a copy of a page by
// scripts/check-outside.sh.
'use strict';
(() => {
  const problems = [];
  const check = (what, holds) => { if (!holds) problems.push(what); };
  window.addEventListener('error', event => { problems.push(event.message); });
  const finish = () => { document.title = problems.length ? problems.join('; ') : 'fine'; };
  try {
    check('the page is wider than the window', document.documentElement.scrollWidth <= window.innerWidth + 1);
    for (const grid of document.querySelectorAll('.grid')) {
      const rows = () => grid.querySelectorAll('tbody:not(.space) tr').length;
      check('a table shows no row', rows() > 0);
      const headings = Array.from(grid.querySelectorAll('th'));
      headings.forEach(heading => heading.click());
      check('a table is not sorted', headings[headings.length - 1].getAttribute('aria-sort') === 'ascending');
      const search = grid.querySelector('input');
      search.value = 'there is no such row';
      search.dispatchEvent(new Event('input'));
      check('a search finds what is not there', rows() === 0);
      search.value = '';
      search.dispatchEvent(new Event('input'));
      check('rows stay away', rows() > 0);
    }
    for (const viewer of document.querySelectorAll('.viewer')) {
      const svg = viewer.querySelector('.canvas svg');
      check('a drawing is empty', svg && svg.querySelectorAll('rect').length > 1);
      const before = svg.getAttribute('viewBox');
      viewer.querySelector('button').click();
      check('a drawing does not grow', svg.getAttribute('viewBox') !== before);
    }
    const stepper = document.querySelector('.stepper');
    if (stepper) {
      const count = () => stepper.querySelector('.count').textContent;
      stepper.querySelectorAll('button')[2].click();
      check('no step on by the button: ' + count(), count().startsWith('step 2 '));
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      check('no step on by the key: ' + count(), count().startsWith('step 3 '));
      check('no line is marked', document.querySelectorAll('.line.here').length === 1);
    }
    for (const plot of document.querySelectorAll('.plot svg')) check('a plot is empty', plot.getBoundingClientRect().width > 100);
  } catch (error) {
    problems.push(String(error));
  }
  finish();
  setTimeout(finish, 500);
})();
