"""What the tests of the engines without LibreOffice share."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.engines.engine_life")
