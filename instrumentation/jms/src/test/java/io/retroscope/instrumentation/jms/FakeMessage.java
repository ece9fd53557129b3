package io.retroscope.instrumentation.jms;

import jakarta.jms.Message;
import jakarta.jms.MessageNotWriteableException;
import java.lang.reflect.Proxy;
import java.util.Map;

/** A message that has properties only, which can be written until it is received. */
interface FakeMessage extends Message {
  static FakeMessage with(Map<String, String> properties, boolean writable) {
    return (FakeMessage)
        Proxy.newProxyInstance(
            FakeMessage.class.getClassLoader(),
            new Class<?>[] {FakeMessage.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "setStringProperty" -> {
                  if (!writable) {
                    throw new MessageNotWriteableException("received");
                  }
                  properties.put((String) arguments[0], (String) arguments[1]);
                  return null;
                }
                case "getStringProperty" -> {
                  return properties.get((String) arguments[0]);
                }
                default -> throw new UnsupportedOperationException(method.getName());
              }
            });
  }
}
