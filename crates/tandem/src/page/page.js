'use strict';
(() => {
  const ROW = 27;
  const all = (root, what) => Array.from(root.querySelectorAll(what));
  const make = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const dataOf = root => JSON.parse(root.querySelector('script[type="application/json"]').textContent);

  /* Tables: only the rows in sight are in the page, so that fifty thousand do no harm. */
  const table = root => {
    const { columns, rows, classes, sort } = dataOf(root);
    const view = root.querySelector('.view'), tools = root.querySelector('.tools');
    const shown = cell => cell === null ? '' : Array.isArray(cell) ? cell[0] : cell;
    let order = rows.map((_, index) => index), key = sort ? sort[0] : -1, down = sort ? sort[1] : false;
    const texts = [], chosen = columns.map(() => '');
    let wanted = '';
    const count = make('span', 'faint');
    const search = make('input');
    search.type = 'search';
    search.placeholder = 'search';
    search.setAttribute('aria-label', 'search in the table');
    tools.append(search);
    columns.forEach((column, number) => {
      if (!column.filter) return;
      const select = make('select');
      select.setAttribute('aria-label', column.title);
      select.append(new Option(column.title + ': all', ''));
      Array.from(new Set(rows.map(row => String(shown(row[number]))))).sort()
        .forEach(value => select.append(new Option(value || '(none)', value)));
      select.addEventListener('change', () => { chosen[number] = select.value; arrange(); });
      tools.append(select);
    });
    tools.append(count);
    const grid = make('table'), head = make('thead'), line = make('tr'), widths = make('colgroup');
    const [above, body, below] = ['space', '', 'space'].map(name => make('tbody', name));
    columns.forEach((column, number) => {
      const width = make('col');
      width.style.width = column.width + 'ch';
      widths.append(width);
      const cell = make('th', column.number ? 'n' : '', column.title);
      cell.tabIndex = 0;
      const toggle = () => { down = key === number ? !down : false; key = number; arrange(); };
      cell.addEventListener('click', toggle);
      cell.addEventListener('keydown', event => { if (event.key === 'Enter') toggle(); });
      line.append(cell);
    });
    head.append(line);
    grid.append(widths, head, above, body, below);
    view.append(grid);
    const space = (place, count) => {
      const row = make('tr'), cell = make('td');
      cell.colSpan = columns.length;
      cell.style.height = count * ROW + 'px';
      row.append(cell);
      place.replaceChildren(...(count ? [row] : []));
    };
    const draw = () => {
      const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 15);
      const last = Math.min(order.length, first + Math.ceil(view.clientHeight / ROW) + 30);
      space(above, first);
      space(below, order.length - last);
      body.replaceChildren(...order.slice(first, last).map(index => {
        const row = make('tr', classes ? classes[index] : '');
        rows[index].forEach((cell, number) => {
          const column = columns[number], text = shown(cell);
          const words = typeof text === 'number' && column.digits !== undefined ? text.toFixed(column.digits) : String(text);
          const data = make('td', column.number ? 'n' : '');
          if (Array.isArray(cell)) {
            const link = make('a', '', words);
            link.href = cell[1];
            data.append(link);
          } else data.textContent = words;
          data.title = words;
          row.append(data);
        });
        return row;
      }));
    };
    const arrange = () => {
      const has = index => {
        if (!wanted) return true;
        texts[index] = texts[index] || rows[index].map(shown).join(' ').toLowerCase();
        return texts[index].includes(wanted);
      };
      order = [];
      for (let index = 0; index < rows.length; index++) {
        if (chosen.every((value, number) => !value || String(shown(rows[index][number])) === value) && has(index)) order.push(index);
      }
      if (key >= 0) {
        const sign = down ? -1 : 1;
        order.sort((a, b) => {
          const x = shown(rows[a][key]), y = shown(rows[b][key]);
          return sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
        });
      }
      all(line, 'th').forEach((cell, number) => {
        cell.textContent = columns[number].title + (number === key ? (down ? ' \u25be' : ' \u25b4') : '');
        cell.setAttribute('aria-sort', number === key ? (down ? 'descending' : 'ascending') : 'none');
      });
      count.textContent = order.length === rows.length ? rows.length + ' rows' : order.length + ' of ' + rows.length + ' rows';
      view.scrollTop = 0;
      draw();
    };
    search.addEventListener('input', () => { wanted = search.value.toLowerCase(); arrange(); });
    view.addEventListener('scroll', draw, { passive: true });
    window.addEventListener('resize', draw);
    arrange();
  };

  /* Drawings: one at a time, moved with the pointer, made larger and smaller with the wheel and the buttons. */
  const viewer = root => {
    const canvas = root.querySelector('.canvas'), select = root.querySelector('select');
    let svg = null, box = null, whole = null, grip = null;
    const apply = () => svg.setAttribute('viewBox', box.join(' '));
    const zoom = (factor, x, y) => {
      const size = box[2] * factor;
      if (size < whole[2] / 200 || size > whole[2] * 8) return;
      box = [box[0] + box[2] * (1 - factor) * x, box[1] + box[3] * (1 - factor) * y, size, box[3] * factor];
      apply();
    };
    const show = () => {
      const template = root.querySelectorAll('template')[select ? select.selectedIndex : 0];
      canvas.replaceChildren(template.content.cloneNode(true));
      svg = canvas.querySelector('svg');
      whole = svg.getAttribute('viewBox').split(' ').map(Number);
      box = whole.slice();
      svg.removeAttribute('width');
      svg.removeAttribute('height');
      /* A tall drawing begins at its top, at a size that can be read. */
      const scale = Math.min(canvas.clientWidth / whole[2], canvas.clientHeight / whole[3]);
      if (scale > 0 && scale < 0.6) {
        const width = canvas.clientWidth / 0.8, height = canvas.clientHeight / 0.8;
        box = [whole[0] + (whole[2] - width) / 2, whole[1], width, height];
      }
      apply();
    };
    if (select) select.addEventListener('change', show);
    all(root, 'button').forEach(button => button.addEventListener('click', () => {
      if (button.dataset.zoom === 'all') { box = whole.slice(); apply(); } else zoom(Number(button.dataset.zoom), 0.5, 0.5);
    }));
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      const frame = canvas.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
    }, { passive: false });
    canvas.addEventListener('pointerdown', event => { grip = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener('pointermove', event => {
      if (!grip) return;
      const scale = Math.max(box[2] / canvas.clientWidth, box[3] / canvas.clientHeight);
      box[0] -= (event.clientX - grip[0]) * scale;
      box[1] -= (event.clientY - grip[1]) * scale;
      grip = [event.clientX, event.clientY];
      apply();
    });
    ['pointerup', 'pointercancel'].forEach(name => canvas.addEventListener(name, () => { grip = null; }));
    show();
  };

  /* The run to the error, step by step. */
  const stepper = root => {
    const { steps } = dataOf(root);
    if (!steps.length) return;
    const panel = root.querySelector('.stepper'), note = panel.querySelector('.note'), values = panel.querySelector('.values');
    const count = panel.querySelector('.count'), buttons = all(panel, 'button'), code = root.querySelector('.code');
    let at = 0, here = null;
    const show = () => {
      const [line, depth, words] = steps[at], known = new Map();
      for (let index = 0; index <= at; index++) {
        const [, level, , name, value] = steps[index];
        if (name !== null && level <= depth) known.set(name, [value, index === at]);
      }
      count.textContent = 'step ' + (at + 1) + ' of ' + steps.length;
      note.textContent = (line ? 'line ' + line + ': ' : '') + words;
      values.replaceChildren(...Array.from(known, ([name, [value, fresh]]) => make(fresh ? 'b' : 'span', '', name + ' = ' + value)));
      if (here) here.classList.remove('here');
      here = document.getElementById('L' + line);
      if (here) {
        here.classList.add('here');
        code.scrollTop += here.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 2;
      }
      buttons[0].disabled = buttons[1].disabled = at === 0;
      buttons[2].disabled = buttons[3].disabled = at === steps.length - 1;
    };
    const move = to => { at = Math.min(steps.length - 1, Math.max(0, to)); show(); };
    buttons.forEach((button, number) => button.addEventListener('click', () => move([0, at - 1, at + 1, steps.length - 1][number])));
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const to = { ArrowRight: at + 1, n: at + 1, ArrowLeft: at - 1, p: at - 1 }[event.key];
      if (to !== undefined) { move(to); event.preventDefault(); }
    });
    const wanted = /^#step-(\d+)$/.exec(location.hash);
    move(wanted ? Number(wanted[1]) - 1 : 0);
  };

  all(document, '.grid').forEach(table);
  all(document, '.viewer').forEach(viewer);
  all(document, '.source').forEach(stepper);
})();
