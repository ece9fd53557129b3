// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Does a standby return less than a client was promised? A shop stores orders at the primary of a
 * PostgreSQL server, and the billing reads them at a standby with a slow link.
 */
public final class PostgresCase implements CaseStudy {
  /** The billing has not read the last two orders: its reads were older than promised. */
  static final Question BEHIND =
      new Question(
          "standby behind",
          "number",
          "SELECT number FROM orders WHEN number@shop - number@billing >= 2 EMIT EDGES;");

  /** A read of less than the primary has acknowledged. */
  static final Question OLDER =
      new Question(
          "read older than promised",
          "number",
          "SELECT number FROM orders WHEN Changed(reads) AND number@billing < number@shop;");

  /** A read of an order that is not stored yet: there is none. */
  static final Question TOO_EARLY =
      new Question(
          "read before it is stored",
          "number",
          "SELECT number FROM orders WHEN Changed(reads) AND number@billing > number@shop;");

  private static final String SOUNDSCAPE =
      """
      # The standby is behind, for as long as it lasts.
      SELECT number FROM orders WHEN number@shop - number@billing >= 2 EMIT INTERVALS
        PLAY trumpet NOTE 55;
      # A read older than what was promised; the older, the higher.
      SELECT number FROM orders WHEN Changed(reads) AND number@billing < number@shop
        PLAY pluck NOTE Min(43 + SPREAD(number), 90);
      # What must not occur.
      SELECT number FROM orders WHEN Changed(reads) AND number@billing > number@shop
        PLAY alarm AS ALARM;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param billingClass the program of the billing
   * @param synchronous whether the primary waits until the standby has replayed a commit
   * @param behindMicros by how much the billing's clock is behind
   */
  record Variant(String billingClass, boolean synchronous, long behindMicros) {}

  /** With asynchronous replication. */
  public PostgresCase() {
    this(new Variant(BillingNode.class.getName(), false, 0));
  }

  PostgresCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "postgres";
  }

  @Override
  public List<Question> questions() {
    return List.of(BEHIND, OLDER, TOO_EARLY);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  /** With the same slow link, and synchronous replication. */
  @Override
  public CaseStudy withoutFaults() {
    return new PostgresCase(new Variant(variant.billingClass(), true, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return PostgresScene.start(folder, server, variant);
  }
}
