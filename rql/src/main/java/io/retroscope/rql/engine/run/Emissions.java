// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The three forms of EMIT. */
public final class Emissions {
  private Emissions() {}

  /** The receiver of rows, which also counts the rows that are held back. */
  public interface Outlet {
    /** Sends a row. */
    void send(Row row);

    /** Sends a row, whose cells are valid during the call. */
    void send(RowCells cells);

    /** Adds to the number of rows that are held back; a negative number releases rows. */
    void held(int count);
  }

  /**
   * Creates the emission of one question.
   *
   * @param columns the layout of its rows
   * @param outlet receives them
   */
  public static Emission of(Emit emit, ResultColumns columns, Outlet outlet) {
    return switch (emit) {
      case CUTS -> new Cuts(columns, outlet);
      case INTERVALS -> new Intervals(columns, outlet);
      case EDGES -> new Edges(columns, outlet);
    };
  }

  private static final class Cuts implements Emission {
    private final ResultColumns columns;
    private final Outlet outlet;
    private final List<Row> held = new ArrayList<>();
    private boolean qualified;

    Cuts(ResultColumns columns, Outlet outlet) {
      this.columns = columns;
      this.outlet = outlet;
    }

    @Override
    public boolean wantsRow(boolean first, boolean atStart) {
      return !atStart;
    }

    @Override
    public void begin(long hlc, @Nullable CutRow cut, boolean atStart) {
      qualified = false;
      add(cut);
    }

    @Override
    public void proceed(@Nullable CutRow cut, SortedSet<String> missing) {
      add(cut);
    }

    @Override
    public boolean takesCells() {
      return qualified && columns.isOfCutAlone();
    }

    @Override
    public void proceed(RowCells cells) {
      outlet.send(cells);
    }

    @Override
    public void proceed(long cuts, SortedSet<String> missing) {
      throw new AssertionError("the row of each cut is wanted");
    }

    private void add(@Nullable CutRow cut) {
      if (cut == null) {
        return;
      }
      if (qualified) {
        outlet.send(columns.cut(cut));
      } else {
        outlet.held(1);
        held.add(columns.cut(cut));
      }
    }

    @Override
    public void qualify() {
      qualified = true;
      held.forEach(outlet::send);
      discard();
    }

    @Override
    public void discard() {
      outlet.held(-held.size());
      held.clear();
    }

    @Override
    public boolean wantsEnd() {
      return false;
    }

    @Override
    public void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut) {}

    @Override
    public void endOfRange(long hlc) {}
  }

  private static final class Intervals implements Emission {
    private final ResultColumns columns;
    private final Outlet outlet;
    private final SortedSet<String> missing = new TreeSet<>(NaturalOrder.INSTANCE);
    private @Nullable CutRow first;
    private long cuts;

    Intervals(ResultColumns columns, Outlet outlet) {
      this.columns = columns;
      this.outlet = outlet;
    }

    @Override
    public boolean wantsRow(boolean isFirst, boolean atStart) {
      return isFirst;
    }

    @Override
    public void begin(long hlc, @Nullable CutRow cut, boolean atStart) {
      first = cut;
      cuts = 1;
      missing.clear();
      if (cut != null) {
        missing.addAll(cut.missing());
      }
    }

    @Override
    public void proceed(@Nullable CutRow cut, SortedSet<String> missingHere) {
      proceed(1, missingHere);
    }

    @Override
    public void proceed(long more, SortedSet<String> missingHere) {
      cuts += more;
      missing.addAll(missingHere);
    }

    @Override
    public void qualify() {}

    @Override
    public void discard() {
      first = null;
    }

    @Override
    public boolean wantsEnd() {
      return false;
    }

    @Override
    public void end(long hlc, CutTime time, SortedSet<String> missingHere, @Nullable CutRow cut) {
      missing.addAll(missingHere);
      send(hlc, time, false);
    }

    @Override
    public void endOfRange(long hlc) {
      send(hlc, null, true);
    }

    private void send(long hlc, @Nullable CutTime time, boolean open) {
      if (first == null) {
        throw new AssertionError("an interval ends that never began");
      }
      CutRow begun = first;
      first = null;
      outlet.send(columns.interval(begun, hlc, time, cuts, open, missing));
    }
  }

  private static final class Edges implements Emission {
    private final ResultColumns columns;
    private final Outlet outlet;
    private @Nullable CutRow rise;

    Edges(ResultColumns columns, Outlet outlet) {
      this.columns = columns;
      this.outlet = outlet;
    }

    @Override
    public boolean wantsRow(boolean first, boolean atStart) {
      return first;
    }

    @Override
    public void begin(long hlc, @Nullable CutRow cut, boolean atStart) {
      rise = cut;
    }

    @Override
    public void proceed(@Nullable CutRow cut, SortedSet<String> missing) {}

    @Override
    public void proceed(long cuts, SortedSet<String> missing) {}

    @Override
    public void qualify() {
      if (rise == null) {
        throw new AssertionError("a run qualifies that never began");
      }
      outlet.send(columns.edge(rise, true));
      rise = null;
    }

    @Override
    public void discard() {
      rise = null;
    }

    @Override
    public boolean wantsEnd() {
      return true;
    }

    @Override
    public void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut) {
      if (cut == null) {
        throw new AssertionError("a fall without its cut");
      }
      outlet.send(columns.edge(cut, false));
    }

    @Override
    public void endOfRange(long hlc) {}
  }
}
