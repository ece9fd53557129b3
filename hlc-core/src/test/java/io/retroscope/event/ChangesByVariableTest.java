// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.StateChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChangesByVariableTest {
  private static final List<String> VARIABLES = List.of("a", "b", "c");
  private static final List<String> NODES = List.of("n0", "n1", "n2");
  private static final int[] NODE_IDS = {30, 10, 20};
  private static final int ROWS = 700;

  @Test
  void events_randomColumns_areThoseOfTheRows() throws CorruptBlockException {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      List<Event> events = events(random, seed % 2 == 0);
      EventBlock block = block(events, random);
      assertThat(block.events()).as("seed %d", seed).isEqualTo(events);
      assertThat(block.writesLongsOnly()).isEqualTo(EventBlock.of(events).writesLongsOnly());
    }
  }

  @Test
  void copy_randomRows_isThatOfTheRows() throws CorruptBlockException {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      List<Event> events = events(random, seed % 2 == 0);
      assertCopies(block(events, random), events, random);
      EventBlock ofRows = EventBlock.of(events); // orders rows with one stamp by their nodes
      assertCopies(ofRows, ofRows.events(), random);
    }
  }

  private static void assertCopies(EventBlock block, List<Event> events, Random random) {
    ChangesByVariable changes = ChangesByVariable.of(block);
    assertThat(changes).isNotNull();
    assertThat(changes.others()).isEmpty();
    assertThat(changes.hasLines())
        .isEqualTo(events.stream().anyMatch(event -> !(event.body() instanceof StateChange)));
    for (SetColumn column : changes.columns()) {
      List<Cell> cells = cells(events, block.variables().get(column.variable()));
      for (int i = 0; i < 20; i++) {
        int row = random.nextInt(ROWS);
        int count = random.nextInt(ROWS - row + 1);
        assertCopy(column, block, cells, row, count);
      }
    }
  }

  private record Cell(int row, long value, long hlc, int node) {}

  private static List<Cell> cells(List<Event> events, String variable) {
    List<Cell> cells = new ArrayList<>();
    for (int row = 0; row < events.size(); row++) {
      Event event = events.get(row);
      for (Change change : changes(event)) {
        if (change.variable().equals(variable)) {
          long value = ((Value.LongValue) change.value()).value();
          cells.add(new Cell(row, value, event.hlc(), NODE_IDS[NODES.indexOf(event.node())]));
        }
      }
    }
    return cells;
  }

  @Test
  void of_rowsThatDoMoreThanSet_hasNoColumnOfTheirVariables() {
    Value set = new Value.SetValue(List.of(Value.of(1)));
    List<List<Change>> rows =
        List.of(
            List.of(change("plain", Value.of(1)), change("texts", Value.of("a"))),
            List.of(change("mixed", Value.of(1)), change("nested", set)),
            List.of(change("mixed", Value.of(1.5)), change("twice", Value.of(1))),
            List.of(new Change(Operation.ADD, "added", set), change("texts", Value.of("b"))),
            List.of(change("twice", Value.of(2)), change("twice", Value.of(3))),
            List.of(new Change(Operation.UNSET, "unset", Value.NullValue.NULL)));
    EventBlock block = EventBlock.of(events(rows));
    ChangesByVariable changes = ChangesByVariable.of(block);
    assertThat(changes).isNotNull();
    assertThat(changes.columns().stream().map(column -> block.variables().get(column.variable())))
        .containsExactlyInAnyOrder("plain", "texts");
    assertThat(Arrays.stream(changes.others()).mapToObj(block.variables()::get))
        .containsExactlyInAnyOrder("mixed", "nested", "twice", "added", "unset");
  }

  @Test
  void of_rowThatIsNoChangeOrHasAWarning_isNone() {
    List<Event> events = events(List.of(List.of(change("a", Value.of(1)))));
    Event first = events.get(0);
    assertThat(ChangesByVariable.of(EventBlock.of(events))).isNotNull();
    Event start = event(first, new EventBody.Start("5f2c", 0, "", EventBody.Spill.COMPLETE));
    assertThat(ChangesByVariable.of(EventBlock.of(List.of(start, first)))).isNull();
    for (EventMark mark : List.of(EventMark.REPAIR, EventMark.UNORDERED)) {
      Event marked =
          new Event(first.node(), first.log(), first.hlc(), 0, 1, Set.of(mark), first.body());
      assertThat(ChangesByVariable.of(EventBlock.of(List.of(marked)))).isNull();
    }
  }

  @Test
  void of_blockThatKeepsColumns_isGatheredOnceAndCounted() {
    List<Event> events =
        events(List.of(List.of(change("a", Value.of(1)), change("b", Value.of(2)))));
    EventBlock block = EventBlock.of(events);
    assertThat(ChangesByVariable.of(block)).isNotSameAs(ChangesByVariable.of(block));
    long bytes = block.memoryBytes();
    block.keepingColumns();
    assertThat(ChangesByVariable.of(block)).isSameAs(ChangesByVariable.of(block));
    assertThat(block.memoryBytes()).isGreaterThan(bytes);
    Event start =
        event(events.get(0), new EventBody.Start("5f2c", 0, "", EventBody.Spill.COMPLETE));
    EventBlock other = EventBlock.of(List.of(start)).keepingColumns();
    assertThat(ChangesByVariable.of(other)).isNull();
    assertThat(ChangesByVariable.of(other)).isNull();
  }

  private static Change change(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }

  private static List<Event> events(List<List<Change>> rows) {
    List<Event> events = new ArrayList<>();
    for (List<Change> row : rows) {
      events.add(new Event("n0", "l", (1L << 40) + events.size(), new StateChange(row)));
    }
    return events;
  }

  private static void assertCopy(
      SetColumn column, EventBlock block, List<Cell> cells, int row, int rowCount) {
    long[] values = new long[rowCount + SetColumn.SLACK];
    int[] places = new int[rowCount];
    long[] stamps = new long[rowCount];
    int[] nodes = new int[rowCount];
    int[] ids = block.nodes().stream().mapToInt(n -> NODE_IDS[NODES.indexOf(n)]).toArray();
    int count = column.copy(block, row, rowCount, ids, values, places, stamps, nodes);
    assertThat(column.count(row, rowCount)).isEqualTo(count);
    List<Cell> expected =
        cells.stream().filter(cell -> cell.row >= row && cell.row < row + rowCount).toList();
    boolean isSame = expected.size() == count;
    for (int i = 0; isSame && i < count; i++) {
      Cell cell = expected.get(i);
      isSame =
          cell.row == row + (column.isInEachRow() ? i : places[i])
              && cell.value == values[i]
              && cell.hlc == stamps[i]
              && cell.node == nodes[i];
    }
    assertThat(isSame).as("rows %d to %d", row, row + rowCount).isTrue();
  }

  @Test
  void lines_areKnownByKindAndFields() throws CorruptBlockException {
    Random random = new Random(1);
    EventBlock plain = block(events(random, false), random);
    assertThat(columns(plain).hasLines()).isFalse();
    assertThat(columns(plain).has(EventKind.LOG_LINE)).isFalse();
    List<Event> events = new ArrayList<>(events(random, false));
    events.set(5, event(events.get(5), new LogLine("slow", Map.of("c", Value.of(7)))));
    EventBlock block = block(events, random);
    assertThat(columns(block).hasLines()).isTrue();
    assertThat(columns(block).has(EventKind.LOG_LINE)).isTrue();
    assertThat(columns(block).has(EventKind.SEND)).isFalse();
    assertThat(columns(block).fieldNames()).containsExactly(2);
  }

  @Test
  void ofVariables_lineWithoutText_isRefused() {
    OrderedRows.Changes changes = new OrderedRows.Changes(1);
    ChangesByVariable.Lines lines =
        new ChangesByVariable.Lines(
            new int[] {0}, new byte[] {EventKind.LOG_LINE.code()}, new int[] {0, 1}, changes);
    assertThatThrownBy(() -> block(new long[1], new int[1], List.of(), lines, List.of()))
        .isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void ofSingleChanges_longerColumns_areNoMoreRowsAndShorterOnesAreRefused() {
    EventBlock block = singles(2, new long[] {5, 6, 7}, new long[] {1, 2, 3, 4});
    assertThat(block.size()).isEqualTo(2);
    assertThat(block.lastHlc()).isEqualTo(6);
    assertThat(block.events()).extracting(Event::hlc).containsExactly(5L, 6L);
    assertThat(block.writesLongsOnly()).isTrue();
    ChangesByVariable changes = ChangesByVariable.of(block);
    assertThat(changes).isNotNull();
    assertThat(changes.columns().get(0).size()).isEqualTo(2);
    assertThatThrownBy(() -> singles(4, new long[3], new long[4]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> singles(4, new long[4], new long[3]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static EventBlock singles(int size, long[] stamps, long[] bits) {
    return OrderedRows.ofSingleChanges(
        new OrderedRows.Writes(size, stamps, new int[4], null, bits),
        List.of(ValueType.LONG),
        row -> Event.NO_PHYSICAL,
        row -> Event.NO_SEQUENCE,
        new OrderedRows.Names(
            NODES, List.of("", "", ""), List.of("t"), List.of("a"), List.of(), List.of()));
  }

  private static ChangesByVariable columns(EventBlock block) {
    ChangesByVariable columns = block.byVariable();
    assertThat(columns).isNotNull();
    return columns;
  }

  private static List<Change> changes(Event event) {
    return event.body() instanceof StateChange state ? state.changes() : List.of();
  }

  private static List<Event> events(Random random, boolean withLines) {
    int shape = random.nextInt(3);
    List<Event> events = new ArrayList<>();
    long micros = 1_000;
    for (int row = 0; row < ROWS; row++) {
      micros += random.nextInt(3);
      EventBody body =
          switch (withLines ? random.nextInt(9) : 9) {
            case 0 -> new LogLine("line " + row, Map.of("field", Value.of(row)));
            case 1 -> new Send("n1", "message " + row);
            default -> new StateChange(changes(random, shape));
          };
      String node = NODES.get(random.nextInt(NODES.size()));
      events.add(new Event(node, "t", HlcTimestamp.pack(micros), body));
    }
    return events;
  }

  /** One change, all of them, or some in order. */
  private static List<Change> changes(Random random, int shape) {
    List<Change> changes = new ArrayList<>();
    int only = random.nextInt(VARIABLES.size());
    for (int i = 0; i < VARIABLES.size(); i++) {
      if (i == only || shape == 1 || (shape == 2 && random.nextBoolean())) {
        long number = random.nextInt(50) == 0 ? random.nextLong() : random.nextInt(100);
        changes.add(new Change(Operation.SET, VARIABLES.get(i), Value.of(number)));
      }
    }
    return changes;
  }

  private static Event event(Event like, EventBody body) {
    return new Event(like.node(), like.log(), like.hlc(), body);
  }

  /** The block of events whose columns are made one event after the other. */
  private static EventBlock block(List<Event> events, Random random) throws CorruptBlockException {
    EventBlock rows = EventBlock.of(events);
    List<SetColumn> columns = new ArrayList<>();
    for (String variable : VARIABLES) {
      SetColumn column = column(events, variable, random);
      if (column != null) {
        columns.add(column);
      }
    }
    List<String> names = new ArrayList<>(VARIABLES);
    names.add("field");
    List<String> texts = new ArrayList<>();
    ChangesByVariable.Lines lines = lines(events, names, texts);
    long[] stamps = events.stream().mapToLong(Event::hlc).toArray();
    int[] nodes = events.stream().mapToInt(event -> NODES.indexOf(event.node())).toArray();
    assertThat(rows.size()).isEqualTo(stamps.length);
    return block(stamps, nodes, columns, lines, texts);
  }

  private static EventBlock block(
      long[] stamps,
      int[] nodes,
      List<SetColumn> columns,
      ChangesByVariable.Lines lines,
      List<String> texts)
      throws CorruptBlockException {
    return OrderedRows.ofVariables(
        stamps,
        nodes,
        new ChangesByVariable(stamps.length, columns, lines),
        row -> Event.NO_PHYSICAL,
        row -> Event.NO_SEQUENCE,
        new OrderedRows.Names(
            NODES,
            List.of("", "", ""),
            List.of("t"),
            List.of("a", "b", "c", "field"),
            texts,
            List.of()));
  }

  private static SetColumn column(List<Event> events, String variable, Random random)
      throws CorruptBlockException {
    int[] rows = new int[events.size()];
    long[] bits = new long[events.size()];
    int size = 0;
    for (int row = 0; row < events.size(); row++) {
      for (Change change : changes(events.get(row))) {
        if (change.variable().equals(variable)) {
          rows[size] = row;
          bits[size++] = ((Value.LongValue) change.value()).value();
        }
      }
    }
    int[] own = size == events.size() ? null : Arrays.copyOf(rows, size);
    int name = VARIABLES.indexOf(variable);
    if (random.nextBoolean()) {
      return new SetColumn(name, ValueType.LONG, own, Arrays.copyOf(bits, size));
    }
    WireWriter out = new WireWriter();
    PackedColumn.write(bits, size, out);
    byte[] bytes = out.toByteArray();
    PackedColumn packed = PackedColumn.read(new WireReader(bytes, 0, bytes.length, 0), size);
    if (own != null && random.nextBoolean()) {
      Arrays.fill(rows, size, rows.length, -1); // more rows than changes, which mean nothing
      own = rows;
    }
    return new SetColumn(name, ValueType.LONG, own, packed);
  }

  private static ChangesByVariable.Lines lines(
      List<Event> events, List<String> names, List<String> texts) {
    List<Integer> rows = new ArrayList<>();
    List<Long> cells = new ArrayList<>(); // name, type and bits of each change
    List<Integer> starts = new ArrayList<>(List.of(0));
    List<Byte> kinds = new ArrayList<>();
    for (int row = 0; row < events.size(); row++) {
      EventBody body = events.get(row).body();
      if (body instanceof LogLine line) {
        addText(line.message(), cells, texts);
        line.fields()
            .forEach(
                (name, value) ->
                    cells.addAll(
                        List.of(
                            (long) names.indexOf(name),
                            (long) ValueType.LONG.code(),
                            ((Value.LongValue) value).value())));
      } else if (body instanceof Send send) {
        addText(send.to(), cells, texts);
        addText(send.id(), cells, texts);
      } else {
        continue;
      }
      rows.add(row);
      kinds.add(body instanceof Send ? EventKind.SEND.code() : EventKind.LOG_LINE.code());
      starts.add(cells.size() / 3);
    }
    if (rows.isEmpty()) {
      return null;
    }
    OrderedRows.Changes changes = new OrderedRows.Changes(cells.size() / 3);
    byte[] codes = new byte[kinds.size()];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = kinds.get(i);
    }
    for (int i = 0; i < cells.size() / 3; i++) {
      changes.names()[i] = cells.get(3 * i).intValue();
      changes.types()[i] = cells.get(3 * i + 1).byteValue();
      changes.bits()[i] = cells.get(3 * i + 2);
    }
    return new ChangesByVariable.Lines(ints(rows), codes, ints(starts), changes);
  }

  private static void addText(String text, List<Long> cells, List<String> texts) {
    cells.addAll(
        List.of((long) EventBlock.NO_NAME, (long) ValueType.STRING.code(), (long) texts.size()));
    texts.add(text);
  }

  private static int[] ints(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }
}
