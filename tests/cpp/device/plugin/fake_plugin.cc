// The checking device behind the functions that a library of devices exports. One device.
#include "device/fake_device.h"

extern "C" msjit::DeviceApi* msjit_open_device(int index) {
  if (index != 0) return nullptr;
  return new msjit::testing::FakeDevice(size_t{1} << 30);
}
