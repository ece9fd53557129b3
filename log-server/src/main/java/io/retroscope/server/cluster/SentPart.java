// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.timeline.Tile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * A partition whose answers pass through the form in which servers send them. Each scan is in
 * memory as a whole.
 */
record SentPart(StoredPart part) implements PartView {
  private static <T> T sent(T value, Class<T> type) {
    return ClusterJson.MAPPER.readValue(ClusterJson.MAPPER.writeValueAsBytes(value), type);
  }

  @Override
  public Facts facts() {
    return sent(part.facts(), Facts.class);
  }

  @Override
  public Doubts doubts(HlcRange range) {
    return sent(part.doubts(range), Doubts.class);
  }

  @Override
  public List<Presence> presences() {
    return part.presences().stream()
        .<Presence>map(presence -> sent(ListedPresence.of(presence), ListedPresence.class))
        .toList();
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return part.mayWrite(node, logs);
  }

  @Override
  public BlockCount blockCount() {
    return sent(part.blockCount(), BlockCount.class);
  }

  @Override
  public Tile tile(TileRequest wanted) {
    try {
      TileAnswer answer = Readings.tile(part, sent(wanted, TileRequest.class));
      return sent(answer, TileAnswer.class).tile(wanted.address());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public PieceFeed scan(Scan scan) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PieceFeed feed = part.scan(sent(scan, Scan.class))) {
      PieceFormat.write(feed, bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return PieceFormat.read(new ByteArrayInputStream(bytes.toByteArray()), scan);
  }

  @Override
  public SentPart another() {
    return new SentPart(part.another());
  }

  @Override
  public void close() {
    part.close();
  }
}
