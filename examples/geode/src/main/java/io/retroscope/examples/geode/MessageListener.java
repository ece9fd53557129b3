// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.EventLog;
import org.apache.geode.cache.EntryEvent;
import org.apache.geode.cache.util.CacheListenerAdapter;
import org.apache.geode.internal.cache.EntryEventImpl;

/** The hook of a server: records each message with the version that it has here. Thread-safe. */
final class MessageListener extends CacheListenerAdapter<String, String> {
  private final EventLog log;
  private final Stamps stamps;

  MessageListener(EventLog log, Stamps stamps) {
    this.log = log;
    this.stamps = stamps;
  }

  @Override
  public void afterCreate(EntryEvent<String, String> event) {
    arrived(event);
  }

  @Override
  public void afterUpdate(EntryEvent<String, String> event) {
    arrived(event);
  }

  private void arrived(EntryEvent<String, String> event) {
    stamps.received(event.getNewValue());
    log.event()
        .set("message", ClientNode.number(Stamps.text(event.getNewValue())))
        .set("stamped", ((EntryEventImpl) event).getVersionTag().getEntryVersion())
        .record();
  }
}
