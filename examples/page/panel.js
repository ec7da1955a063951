// A module on the page: its controls, its answer, its study.
import { positionOf, positions, textOf, valueAt } from './values.js';
import { showPicture } from './picture.js';

const downloads = { 'data.csv': ['data (CSV)', 'text/csv'], 'cluster.machine': ['machine file', 'text/plain'] };

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Gives a file to the person. */
function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export class Panel {
  /** Fills a section. `changed(values)` is called when a control was moved; `start(values, progress)` begins a study. */
  constructor(section, module, { changed, start }) {
    Object.assign(this, { section, module, changed, start, fields: {}, values: {}, running: null });
    const parts = document.getElementById('panel').content.cloneNode(true);
    this.form = parts.querySelector('.controls');
    this.answer = parts.querySelector('.answer');
    this.state = this.answer.querySelector('.state');
    this.study = this.answer.querySelector('.study');
    for (const control of module.controls) this.place(this.control(control), control.group);
    this.form.append(this.form.querySelector('.buttons'));
    this.form.onsubmit = (event) => event.preventDefault();
    this.form.onreset = (event) => {
      event.preventDefault();
      this.set({});
      changed(this.values);
    };
    if (module.study) this.openStudy();
    const panel = make('div', { className: 'panel' });
    panel.append(parts);
    section.querySelector('.questions').before(panel);
    this.set({});
  }

  /** Puts a control into the form, or into the fieldset of its group. */
  place(element, group) {
    if (!group) return this.form.append(element);
    let set = this.form.querySelector(`fieldset[data-group="${group}"]`);
    if (!set) {
      set = make('fieldset', {}, make('legend', { textContent: group }));
      set.dataset.group = group;
      this.form.append(set);
    }
    return set.append(element);
  }

  control(control) {
    const id = `${this.module.name}-${control.key}`;
    const label = make('label', { htmlFor: id, textContent: control.label });
    const wrong = make('p', { className: 'wrong', id: `${id}-wrong`, hidden: true });
    const field = { control, wrong };
    const element = make('div', { className: 'control' }, label);
    wrong.setAttribute('role', 'alert');
    if (control.kind === 'choice') {
      field.input = make('select', { id }, ...control.choices.map((text) => make('option', { textContent: text, value: text })));
      field.input.onchange = () => this.write(control.key, field.input.value);
      element.append(field.input);
    } else {
      field.input = make('input', { id, type: 'text', inputMode: 'text', spellcheck: false });
      field.input.oninput = () => {
        field.moved = false;
        this.write(control.key, field.input.value);
      };
      field.slider = make('input', { id: `${id}-slider`, type: 'range', min: 0, max: positions(control), step: 1 });
      field.slider.setAttribute('aria-label', `${control.label}, slider`);
      field.slider.oninput = () => {
        field.moved = true; // it stays where it is, though the value was rounded
        field.input.value = textOf(control, valueAt(control, Number(field.slider.value)));
        field.slider.setAttribute('aria-valuetext', field.input.value);
        this.write(control.key, field.input.value);
      };
      element.append(make('div', { className: 'pair' }, field.slider, field.input));
      if (control.unit === 'percent') label.append(make('span', { className: 'unit', textContent: ' [%]' }));
    }
    field.input.setAttribute('aria-describedby', wrong.id);
    element.append(wrong);
    this.fields[control.key] = field;
    return element;
  }

  /** Sets all controls; what is missing gets its default. */
  set(values) {
    for (const field of Object.values(this.fields)) {
      const { control, input } = field;
      field.moved = false;
      this.values[control.key] = values[control.key] ?? control.initial;
      if (control.kind === 'choice' && !control.choices.includes(this.values[control.key])) this.values[control.key] = control.initial;
      input.value = this.values[control.key];
      field.slider?.setAttribute('aria-valuetext', input.value);
    }
    this.stale();
  }

  write(key, text) {
    this.values[key] = text;
    this.stale();
    this.changed(this.values);
  }

  /** Says that the answer takes a while. */
  wait() {
    this.answer.classList.add('old');
    this.state.textContent = 'Computing…';
  }

  /** Shows an answer, or what is wrong with the values beside their controls. */
  show(result) {
    for (const { control, input, slider, wrong, moved } of Object.values(this.fields)) {
      const why = result.wrong[control.key];
      wrong.hidden = !why;
      wrong.textContent = why ? `${control.label}: ${why}` : '';
      if (why) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
      const value = result.values?.[control.key];
      if (!slider || why || value === undefined) continue;
      if (!moved) slider.value = positionOf(control, value);
      slider.setAttribute('aria-valuetext', this.values[control.key]);
    }
    const failed = Object.keys(result.wrong).length > 0 ? 'Correct the value beside the control.' : result.answer.error;
    this.answer.classList.toggle('old', Boolean(failed));
    this.state.textContent = failed ? `This is the last answer. ${failed}` : '';
    if (failed) return;
    this.section.answer = result; // for whoever looks at the page with scripts
    this.fill(this.answer, result, '');
  }

  /** Fills pictures, formula, numbers, reasons and downloads of an answer. */
  fill(where, { answer, files, shown }, suffix) {
    const pictures = where.querySelector('.pictures');
    while (pictures.children.length > answer.pictures.length) pictures.lastChild.remove();
    while (pictures.children.length < answer.pictures.length) pictures.append(make('div'));
    answer.pictures.forEach(({ file, text }, i) => showPicture(pictures.children[i], () => files[file], shown[file], text));
    where.querySelector('.formula').textContent = answer.formula;
    where.querySelector('.numbers tbody').replaceChildren(...answer.numbers.map(({ label, text }) => {
      const head = make('th', { textContent: label, scope: 'row' });
      return make('tr', {}, head, make('td', { textContent: text }));
    }));
    where.querySelector('.why').replaceChildren(...answer.why.map((text) => make('li', { textContent: text })));
    const buttons = Object.keys(files).filter((name) => !suffix || name !== 'cluster.machine').map((name) => {
      const [label, type] = downloads[name] ?? [`${name.replace('.svg', '')} (SVG)`, 'image/svg+xml'];
      const button = make('button', { type: 'button', textContent: `Download ${label}` });
      button.onclick = () => save(`${this.module.name}${suffix}-${name}`, type, files[name]);
      return button;
    });
    where.querySelector('.downloads').replaceChildren(...buttons);
  }

  /** The study that is shown was made with other values. */
  stale() {
    const result = this.study.querySelector('.result');
    if (result.hidden) return;
    result.classList.add('old');
    this.study.querySelector('.note').textContent = 'The study below was made with other values.';
  }

  openStudy() {
    const [start, cancel, progress] = ['.start', '.cancel', 'progress'].map((name) => this.study.querySelector(name));
    const [result, note] = ['.result', '.note'].map((name) => this.study.querySelector(name));
    this.study.hidden = false;
    start.textContent = this.module.study;
    const running = (is) => {
      start.disabled = is;
      cancel.hidden = progress.hidden = !is;
    };
    start.onclick = async () => {
      progress.value = 0;
      running(true);
      cancel.focus();
      note.textContent = '';
      const asked = JSON.stringify(this.values);
      this.running = this.start({ ...this.values }, (part) => { progress.value = part; });
      cancel.onclick = () => this.running.cancel();
      try {
        const data = await this.running.done;
        if (!data) note.textContent = 'The study was cancelled.';
        else if (!data.answer || data.answer.error) note.textContent = data.answer?.error ?? 'Correct the values first.';
        else {
          this.section.study = data;
          this.fill(result, data, '-study');
          result.hidden = false;
          result.classList.remove('old');
          if (JSON.stringify(this.values) !== asked) this.stale();
        }
      } catch (error) {
        note.textContent = error.message;
      }
      const focused = document.activeElement === cancel;
      running(false);
      if (focused) start.focus();
    };
  }
}
