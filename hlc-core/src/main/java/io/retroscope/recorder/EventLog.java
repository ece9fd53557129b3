// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One log of a recorder, in which a service records changes of its variables, log lines, and
 * messages sent and received. Thread-safe; obtain it once from {@link Recorder#log} and keep it.
 *
 * <p>No call throws or blocks. Events that cannot be recorded are counted, see {@link
 * RecorderStatistics}. Texts are truncated to the recorder's limit.
 */
public final class EventLog {
  /**
   * The number of cached variables of a log; each use of a further one is slightly more expensive.
   */
  static final int MAX_CACHED_VARIABLES = 10_000;

  private final Recorder recorder;
  private final String name;
  private final boolean usable;
  private final boolean kept;

  /** The memory that holding the name costs: 0 if the recorder caches this log. */
  private final int nameBytes;

  private final ConcurrentMap<String, VariableHandle> variables = new ConcurrentHashMap<>();

  /**
   * A log.
   *
   * @param kept whether the recorder caches it for further events
   */
  EventLog(Recorder recorder, @Nullable String name, boolean kept) {
    this.recorder = recorder;
    this.name = name == null ? "" : name;
    this.usable = Admission.isName(name);
    this.kept = kept;
    this.nameBytes = kept ? 0 : Footprint.of(this.name);
  }

  /** The log's name. */
  public String name() {
    return name;
  }

  /** Records that a variable has a value from now on. */
  public void set(String variable, long value) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      recorder.writer().change(handle, Operation.SET, ValueType.LONG, value, null);
    }
  }

  /** Records that a variable has a value from now on. */
  public void set(String variable, double value) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      long bits = Double.doubleToRawLongBits(value);
      recorder.writer().change(handle, Operation.SET, ValueType.DOUBLE, bits, null);
    }
  }

  /** Records that a variable has a value from now on. */
  public void set(String variable, boolean value) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      recorder.writer().change(handle, Operation.SET, ValueType.BOOLEAN, value ? 1 : 0, null);
    }
  }

  /** Records that a variable has a value from now on; null unsets it. */
  public void set(String variable, @Nullable String value) {
    VariableHandle handle = handle(variable);
    if (handle == null) {
      return;
    }
    if (value == null) {
      recorder.writer().change(handle, Operation.UNSET, ValueType.NULL, 0, null);
    } else {
      String text = recorder.admission().text(value);
      recorder.writer().change(handle, Operation.SET, ValueType.STRING, 0, text);
    }
  }

  /** Records that a variable has a value from now on; null unsets it. */
  public void set(String variable, @Nullable Value value) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      boolean unset = value == null;
      changeTo(handle, unset ? Operation.UNSET : Operation.SET, recorder.admission().value(value));
    }
  }

  /** Records that a variable has a value from now on: the character as a text. */
  public void set(String variable, char value) {
    set(variable, String.valueOf(value));
  }

  /**
   * Records that a variable has a value from now on, which is converted as in {@link
   * LineDraft#with(String, Object)}; null unsets it. The other methods of this name allocate less.
   */
  public void set(String variable, @Nullable Object value) {
    if (value == null) {
      unset(variable);
    } else if (value instanceof Value admitted) {
      set(variable, admitted);
    } else {
      VariableHandle handle = handle(variable);
      if (handle != null) {
        changeTo(handle, Operation.SET, recorder.admission().valueOf(value));
      }
    }
  }

  /** Records that a variable has no value from now on. */
  public void unset(String variable) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      recorder.writer().change(handle, Operation.UNSET, ValueType.NULL, 0, null);
    }
  }

  /** Records that elements are added to a variable's set. */
  public void add(String variable, Value... elements) {
    changeSet(variable, Operation.ADD, elements);
  }

  /**
   * Records that an element is added to a variable's set. It is converted as in {@link
   * LineDraft#with(String, Object)}, so a collection is one element; null is refused.
   */
  public void add(String variable, @Nullable Object element) {
    changeSet(variable, Operation.ADD, recorder.admission().element(element));
  }

  /** Records that elements are removed from a variable's set. */
  public void remove(String variable, Value... elements) {
    changeSet(variable, Operation.REMOVE, elements);
  }

  /** Records that an element is removed from a variable's set; the counterpart of {@code add}. */
  public void remove(String variable, @Nullable Object element) {
    changeSet(variable, Operation.REMOVE, recorder.admission().element(element));
  }

  private void changeSet(
      String variable, Operation operation, @Nullable Value @Nullable ... elements) {
    VariableHandle handle = handle(variable);
    if (handle != null) {
      Value set = setOf(elements);
      if (set instanceof Value.SetValue) {
        changeTo(handle, operation, set);
      } else {
        recorder.countRefused();
      }
    }
  }

  /** The elements as a set; NULL if the array is null or empty, or contains a null. */
  private static Value setOf(@Nullable Value @Nullable [] elements) {
    if (elements == null || elements.length == 0 || Arrays.asList(elements).contains(null)) {
      return Value.NullValue.NULL;
    }
    return new Value.SetValue(List.of(elements));
  }

  private void changeTo(VariableHandle handle, Operation operation, Value value) {
    if (Admission.weight(value) > Admission.MAX_EVENT_WEIGHT) {
      recorder.countRefused();
    } else {
      recorder.writer().change(handle, operation, ValueType.NULL, 0, value);
    }
  }

  /**
   * Records one event that changes several variables at one instant, as in {@code log.event(e ->
   * e.set("term", 3).set("role", "leader"))}.
   *
   * @param changes called at once, in this thread; an exception that it throws is passed on, and
   *     nothing is recorded
   */
  public void event(UnaryOperator<ChangeDraft> changes) {
    ChangeDraft draft = event();
    var unused = changes.apply(draft);
    draft.record();
  }

  /**
   * Begins an event that changes several variables at one instant; {@link ChangeDraft#record()}
   * must follow.
   */
  @CheckReturnValue
  public ChangeDraft event() {
    return new ChangeDraft(this);
  }

  /**
   * Records a log line with pairs, as in {@code log.line("timeout", line -> line.with("ms",
   * 1200))}.
   *
   * @param pairs called at once, in this thread; an exception that it throws is passed on, and
   *     nothing is recorded
   * @return the line's packed stamp, even if the line is dropped
   */
  public long line(@Nullable String message, UnaryOperator<LineDraft> pairs) {
    LineDraft draft = line(message);
    var unused = pairs.apply(draft);
    return draft.record();
  }

  /**
   * Begins a log line: a text, and pairs that are visible only in the cut at the line's stamp;
   * {@link LineDraft#record()} must follow.
   */
  @CheckReturnValue
  public LineDraft line(@Nullable String message) {
    return new LineDraft(this, message);
  }

  /**
   * Records that a message is sent, unless {@link RecorderBuilder#messages} leaves it out.
   *
   * @param to the receiving node, empty if unknown
   * @param id the message's identity, which the receiver must also know; empty to use the stamp
   *     that it carries
   * @return the packed stamp for the message to carry
   */
  public long send(String to, String id) {
    MessageSample sample = recorder.sample();
    if (!sample.isAll()) {
      long carried = recorder.tick();
      String given = orEmpty(id);
      if (!(given.isEmpty() ? sample.selects(carried) : sample.selects(given))) {
        return carried;
      }
    }
    if (!recordable()) {
      return recorder.tick();
    }
    Admission admission = recorder.admission();
    String identity = admission.text(id);
    return recorder
        .writer()
        .send(name, nameBytes, admission.text(to), identity.isEmpty() ? null : identity, sample);
  }

  /**
   * Records that a message is received, and moves the clock past the stamp that it carries.
   *
   * @param from the sending node, empty if unknown
   * @param id the message's identity, the same as at its send
   * @param remoteHlc the packed stamp that the message carries
   * @return the packed stamp of the receive
   */
  public long receive(String from, String id, long remoteHlc) {
    return recorder.sample().selects(orEmpty(id), remoteHlc)
        ? received(from, recorder.admission().text(id), remoteHlc)
        : recorder.observe(remoteHlc);
  }

  /** Records the receipt of a message that is identified by the stamp it carries. */
  long receive(String from, long remoteHlc) {
    return recorder.sample().selects(remoteHlc)
        ? received(from, null, remoteHlc)
        : recorder.observe(remoteHlc);
  }

  /** A service that passes null must not fail. */
  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private long received(String from, @Nullable String id, long remoteHlc) {
    return recordable()
        ? recorder.writer().receive(name, nameBytes, recorder.admission().text(from), id, remoteHlc)
        : recorder.observe(remoteHlc);
  }

  /** Whether events of this log can be recorded; counts a refused event if not. */
  private boolean recordable() {
    if (!usable) {
      recorder.countRefused();
    }
    return usable;
  }

  Recorder recorder() {
    return recorder;
  }

  /**
   * Records an event and returns its packed stamp, or the clock's next one if it is not recorded.
   */
  long record(EventBody body) {
    return recordable() ? recorder.writer().record(name, body) : recorder.tick();
  }

  @Nullable VariableHandle handle(@Nullable String variable) {
    VariableHandle known = variable == null ? null : variables.get(variable);
    return known != null ? known : newHandle(variable);
  }

  private @Nullable VariableHandle newHandle(@Nullable String variable) {
    if (variable == null || !Admission.isName(variable) || !usable) {
      recorder.countRefused();
      return null;
    }
    boolean keep = kept && variables.size() < MAX_CACHED_VARIABLES;
    VariableHandle handle = new VariableHandle(name, variable, keep);
    if (keep) {
      VariableHandle earlier = variables.putIfAbsent(variable, handle);
      return earlier == null ? handle : earlier;
    }
    return handle;
  }
}
